// What rustc prints differently: panics, enums, slices, trait objects, range attributes.
use std::collections::BTreeMap;

pub fn squares(x: &[f64], out: &mut [f64]) -> f64 {
    let mut total = 0.0;
    for (a, b) in x.iter().zip(out.iter_mut()) {
        *b = a * a;
        total += *b;
    }
    total + x[out.len() - 1]
}
pub enum Tree {
    Leaf(f64),
    Node { weight: i32, child: Option<Box<Tree>> },
    Empty,
}
pub fn walk(tree: &Tree) -> f64 {
    match tree {
        Tree::Leaf(x) => x.sin(),
        Tree::Node { weight, child } => f64::from(*weight) + child.as_ref().map_or(0.0, |c| walk(c)),
        Tree::Empty => 0.0,
    }
}
pub trait Shape {
    fn area(&self) -> f64;
}
pub fn areas(shapes: &[Box<dyn Shape>]) -> f64 {
    shapes.iter().map(|s| s.area()).sum()
}
pub fn count(words: &[String]) -> BTreeMap<&str, u128> {
    let mut found = BTreeMap::new();
    for word in words {
        *found.entry(word.as_str()).or_insert(0) += 1;
    }
    found
}
pub fn parse(text: &str) -> Result<Vec<u8>, std::num::ParseIntError> {
    text.split(',').map(|part| part.trim().parse()).collect()
}

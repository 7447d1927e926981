//! Programs as people write them in Rust. Each takes numbers and how many there are, and returns one.
#![allow(clippy::all)]
use std::slice::from_raw_parts as view;
use std::collections::{BTreeMap, VecDeque};
use std::ops::{Add, Mul, Sub, Index, IndexMut};

#[no_mangle] pub extern "C" fn norm(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}
#[no_mangle] pub extern "C" fn logistic(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    let (w, data) = x.split_at(8);
    data.chunks_exact(9).map(|row| {
        let z: f64 = row[..8].iter().zip(w).map(|(a, b)| a * b).sum();
        (1.0 + (-z * row[8].signum()).exp()).ln()
    }).sum()
}
fn dense(w: &[f64], x: &[f64], out: usize) -> Vec<f64> {
    (0..out).map(|i| w[i * x.len()..(i + 1) * x.len()].iter().zip(x).map(|(a, b)| a * b).sum::<f64>().tanh()).collect()
}
#[no_mangle] pub extern "C" fn mlp(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    let k = ((n as f64).sqrt() as usize) / 2;
    let mut h: Vec<f64> = x[..k].to_vec();
    for l in 0..3 { h = dense(&x[k + l * k * k..], &h, k); }
    h.iter().sum()
}
#[no_mangle] pub extern "C" fn mixture(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    let means: Vec<&[f64]> = x[..24].chunks(3).collect();
    let mut total = 0.0;
    for p in x[24..].chunks_exact(3) {
        let terms: Vec<f64> = means.iter().map(|m| -m.iter().zip(p).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).collect();
        let top = terms.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
        total += top + terms.iter().map(|t| (t - top).exp()).sum::<f64>().ln();
    }
    total
}
#[no_mangle] pub extern "C" fn heat(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    let mut u = x.to_vec();
    let mut v = vec![0.0; n];
    for _ in 0..50 {
        for i in 1..n - 1 { v[i] = u[i] + 0.2 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * (1.0 + u[i] * u[i]).recip(); }
        v[0] = u[0]; v[n - 1] = u[n - 1];
        std::mem::swap(&mut u, &mut v);
    }
    u.iter().map(|a| a * a).sum()
}
#[no_mangle] pub extern "C" fn image(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    let m = ((n - 9) as f64).sqrt() as usize;
    let (k, im) = x.split_at(9);
    let mut s = 0.0;
    for i in 1..m - 1 { for j in 1..m - 1 {
        let mut a = 0.0;
        for p in 0..3 { for q in 0..3 { a += k[p * 3 + q] * im[(i + p - 1) * m + j + q - 1]; } }
        s += a.max(0.0) * a;
    } }
    s
}
#[derive(Clone, Copy)] struct Body { p: [f64; 3], v: [f64; 3], m: f64 }
#[no_mangle] pub extern "C" fn bodies(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    let mut bs: Vec<Body> = x.chunks_exact(3).map(|c| Body { p: [c[0], c[1], c[2]], v: [0.0; 3], m: 1.0 + c[0] * c[0] }).collect();
    for _ in 0..5 {
        for i in 0..bs.len() {
            let mut a = [0.0; 3];
            for j in 0..bs.len() {
                if i == j { continue; }
                let d: Vec<f64> = (0..3).map(|k| bs[j].p[k] - bs[i].p[k]).collect();
                let r2 = d.iter().map(|t| t * t).sum::<f64>() + 0.1;
                for k in 0..3 { a[k] += bs[j].m * d[k] / (r2 * r2.sqrt()); }
            }
            for k in 0..3 { bs[i].v[k] += 0.01 * a[k]; }
        }
        for b in bs.iter_mut() { for k in 0..3 { b.p[k] += 0.01 * b.v[k]; } }
    }
    bs.iter().map(|b| b.m * b.v.iter().map(|v| v * v).sum::<f64>()).sum()
}
fn rk4<F: Fn(f64, &[f64; 3]) -> [f64; 3]>(f: F, mut y: [f64; 3], steps: usize) -> [f64; 3] {
    let h = 0.01;
    let ax = |a: &[f64; 3], s: f64, b: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|i| a[i] + s * b[i]) };
    for t in 0..steps {
        let t = t as f64 * h;
        let k1 = f(t, &y); let k2 = f(t + h / 2.0, &ax(&y, h / 2.0, &k1));
        let k3 = f(t + h / 2.0, &ax(&y, h / 2.0, &k2)); let k4 = f(t + h, &ax(&y, h, &k3));
        for i in 0..3 { y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]); }
    }
    y
}
#[no_mangle] pub extern "C" fn pendulum(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, 6) };
    let y = rk4(|_, y| [(10.0 + x[3]) * (y[1] - y[0]), y[0] * (28.0 + x[4] - y[2]) - y[1], y[0] * y[1] - (2.6 + x[5]) * y[2]],
        [x[0], x[1], x[2]], n);
    y.iter().sum()
}
fn root(a: f64) -> Result<f64, String> {
    let mut y = 1.0;
    for _ in 0..60 {
        let f: f64 = y * y * y + y - a;
        if f.abs() < 1e-14 { return Ok(y); }
        y -= f / (3.0 * y * y + 1.0);
    }
    if y.is_finite() { Ok(y) } else { Err(format!("no root of {a}")) }
}
#[no_mangle] pub extern "C" fn roots(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    x.iter().filter_map(|a| root(*a).ok()).sum()
}
#[derive(Clone)] struct Matrix { n: usize, a: Vec<f64> }
impl Index<(usize, usize)> for Matrix { type Output = f64; fn index(&self, (i, j): (usize, usize)) -> &f64 { &self.a[i * self.n + j] } }
impl IndexMut<(usize, usize)> for Matrix { fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 { &mut self.a[i * self.n + j] } }
impl Mul for &Matrix { type Output = Matrix; fn mul(self, o: &Matrix) -> Matrix {
    let n = self.n; let mut r = Matrix { n, a: vec![0.0; n * n] };
    for i in 0..n { for j in 0..n { let mut s = 0.0; for k in 0..n { s += self[(i, k)] * o[(k, j)]; } r[(i, j)] = s; } }
    r } }
#[no_mangle] pub extern "C" fn cholesky(x: *const f64, n: usize) -> f64 {
    let m = (n as f64).sqrt() as usize;
    let g = Matrix { n: m, a: unsafe { view(x, m * m) }.to_vec() };
    let mut t = g.clone();
    for i in 0..m { for j in 0..m { t[(i, j)] = g[(j, i)]; } }
    let mut a = &g * &t;
    for i in 0..m { a[(i, i)] += m as f64; }
    let mut ld = 0.0;
    for j in 0..m {
        for k in 0..j { let l = a[(j, k)]; a[(j, j)] -= l * l; }
        let d = a[(j, j)].sqrt(); a[(j, j)] = d; ld += d.ln();
        for i in j + 1..m { for k in 0..j { let p = a[(i, k)] * a[(j, k)]; a[(i, j)] -= p; } a[(i, j)] /= d; }
    }
    ld
}
trait Shape { fn area(&self) -> f64; fn grow(&mut self, by: f64); }
struct Disc(f64); struct Rect { w: f64, h: f64 }
impl Shape for Disc { fn area(&self) -> f64 { 3.14 * self.0 * self.0 } fn grow(&mut self, by: f64) { self.0 *= by } }
impl Shape for Rect { fn area(&self) -> f64 { self.w * self.h } fn grow(&mut self, by: f64) { self.w += by; self.h *= by } }
#[no_mangle] pub extern "C" fn shapes(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    let mut v: Vec<Box<dyn Shape>> = Vec::new();
    for (i, c) in x.chunks_exact(2).enumerate() { if i % 3 == 0 { v.push(Box::new(Disc(c[0]))) } else { v.push(Box::new(Rect { w: c[0], h: c[1] })) } }
    let mut s = 0.0;
    for p in v.iter_mut() { p.grow(1.0 + x[0] * 0.1); s += p.area() * p.area(); }
    s
}
#[no_mangle] pub extern "C" fn by_key(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    let mut m: BTreeMap<usize, f64> = BTreeMap::new();
    for (i, v) in x.iter().enumerate() { *m.entry(i * 7 % 13).or_insert(1.0) += v * v; }
    m.values().product::<f64>().ln()
}
#[no_mangle] pub extern "C" fn trimmed(x: *const f64, n: usize) -> f64 {
    let mut v = unsafe { view(x, n) }.to_vec();
    v.sort_by(|a, b| a.partial_cmp(b).unwrap());
    v[n / 10..n - n / 10].iter().map(|a| a * a * a).sum::<f64>()
}
#[no_mangle] pub extern "C" fn moving(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    let mut q = VecDeque::new(); let (mut s, mut out) = (0.0, 0.0);
    for v in x { q.push_back(v * v); s += v * v; if q.len() > 5 { s -= q.pop_front().unwrap(); } out += s.sin(); }
    out
}
#[no_mangle] pub extern "C" fn rough(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    x.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).powi(2)).sum::<f64>() + x.iter().scan(0.0, |s, v| { *s = 0.9 * *s + v; Some(*s * *s) }).fold(0.0, |a, b| a + b)
}
#[derive(Clone, Copy)] struct C64 { re: f64, im: f64 }
impl Add for C64 { type Output = C64; fn add(self, o: C64) -> C64 { C64 { re: self.re + o.re, im: self.im + o.im } } }
impl Sub for C64 { type Output = C64; fn sub(self, o: C64) -> C64 { C64 { re: self.re - o.re, im: self.im - o.im } } }
impl Mul for C64 { type Output = C64; fn mul(self, o: C64) -> C64 { C64 { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re } } }
fn fft(v: &[C64]) -> Vec<C64> {
    if v.len() == 1 { return v.to_vec(); }
    let e = fft(&v.iter().step_by(2).copied().collect::<Vec<_>>());
    let o = fft(&v.iter().skip(1).step_by(2).copied().collect::<Vec<_>>());
    let h = v.len() / 2; let mut r = vec![C64 { re: 0.0, im: 0.0 }; v.len()];
    for k in 0..h {
        let a = -2.0 * std::f64::consts::PI * k as f64 / v.len() as f64;
        let t = C64 { re: a.cos(), im: a.sin() } * o[k];
        r[k] = e[k] + t; r[k + h] = e[k] - t;
    }
    r
}
#[no_mangle] pub extern "C" fn spectrum(x: *const f64, n: usize) -> f64 {
    let v: Vec<C64> = unsafe { view(x, n) }.iter().map(|a| C64 { re: *a, im: 0.0 }).collect();
    fft(&v).iter().map(|c| (1.0 + c.re * c.re + c.im * c.im).ln()).sum()
}
enum Expr { Var(usize), Num(f64), Sum(Box<Expr>, Box<Expr>), Prod(Box<Expr>, Box<Expr>), Sin(Box<Expr>) }
fn build(d: usize, s: &mut usize) -> Expr {
    *s = (*s * 1103515245 + 12345) % 2147483648; let k = *s >> 8;
    if d == 0 { return if k % 4 == 0 { Expr::Num(0.5) } else { Expr::Var(k) } }
    match k % 3 { 0 => Expr::Sum(Box::new(build(d - 1, s)), Box::new(build(d - 1, s))), 1 => Expr::Prod(Box::new(build(d - 1, s)), Box::new(build(d - 1, s))), _ => Expr::Sin(Box::new(build(d - 1, s))) }
}
fn eval(e: &Expr, x: &[f64]) -> f64 { match e { Expr::Var(i) => x[i % x.len()], Expr::Num(v) => *v, Expr::Sum(a, b) => eval(a, x) + eval(b, x), Expr::Prod(a, b) => eval(a, x) * eval(b, x), Expr::Sin(a) => eval(a, x).sin() } }
#[no_mangle] pub extern "C" fn tree(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    let mut s = 7; let mut t = 0.0;
    for _ in 0..10 { let e = build(6, &mut s); t += eval(&e, x); }
    t
}
struct Node { v: f64, next: Option<Box<Node>> }
#[no_mangle] pub extern "C" fn list(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    let mut head: Option<Box<Node>> = None;
    for v in x { head = Some(Box::new(Node { v: v.exp(), next: head })); }
    let (mut s, mut p) = (0.0, &head);
    while let Some(b) = p { s = 0.5 * s + b.v; p = &b.next; }
    s * s
}
#[no_mangle] pub extern "C" fn product(x: *const f64, n: usize) -> f64 {
    let m = ((n / 2) as f64).sqrt() as usize;
    let x = unsafe { view(x, 2 * m * m) };
    let a: Vec<Vec<f64>> = x[..m * m].chunks(m).map(|r| r.to_vec()).collect();
    let b: Vec<Vec<f64>> = x[m * m..].chunks(m).map(|r| r.to_vec()).collect();
    let mut c = vec![vec![0.0; m]; m];
    for i in 0..m { for k in 0..m { for j in 0..m { c[i][j] += a[i][k] * b[k][j]; } } }
    c.iter().flatten().map(|v| v * v).sum()
}
#[no_mangle] pub extern "C" fn warping(x: *const f64, n: usize) -> f64 {
    let x = unsafe { view(x, n) };
    let m = n / 2; let (a, b) = (&x[..m], &x[m..2 * m]);
    let mut d = vec![vec![f64::INFINITY; m + 1]; m + 1];
    d[0][0] = 0.0;
    for i in 1..=m { for j in 1..=m {
        let c = (a[i - 1] - b[j - 1]).abs();
        d[i][j] = c + d[i - 1][j].min(d[i][j - 1]).min(d[i - 1][j - 1]);
    } }
    d[m][m]
}

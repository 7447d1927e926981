/* Lanes of structures with pointers: a linked list that is built, turned round, changed and taken apart. */
#define WIDTH_B 3
#include "vector.h"

struct node {
  double value;
  int weight;
  struct node *next;
};
static NOINLINE struct node *push(struct node *head, double value, int weight) {
  struct node *made = (struct node *)malloc(sizeof *made);
  made->value = value;
  made->weight = weight;
  made->next = head;
  return made;
}
static NOINLINE struct node *reverse(struct node *head) {
  struct node *turned = NULL;
  while (head) {
    struct node *next = head->next;
    head->next = turned;
    turned = head;
    head = next;
  }
  return turned;
}
static REAL subject(REAL *x, int n) {
  struct node *head = NULL;
  for (int i = 0; i < n; i++) head = push(head, x[i] * (i + 1), i % 3);
  double s = 1;
  for (struct node *at = head; at; at = at->next) s = s * 0.5 + at->value * at->weight;
  head = reverse(head);
  for (struct node *at = head; at->next; at = at->next) at->next->value *= at->value;
  int i = 0;
  for (struct node *at = head; at; i++) {
    struct node *next = at->next;
    x[i] = at->value + s;
    free(at);
    at = next;
  }
  return s;
}

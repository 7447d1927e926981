/* Structs within structs within arrays: assigned as wholes, swapped through a temporary, passed by pointer to a member. */
#include "check.h"

struct vec3 { double x, y, z; };
struct body { struct vec3 at, speed; double mass; char name[3]; };
struct world { struct body bodies[3]; int count; struct vec3 wind; };

static NOINLINE void add(struct vec3 *to, const struct vec3 *from, double by) {
  to->x += from->x * by, to->y += from->y * by, to->z += from->z * by;
}
static NOINLINE struct vec3 cross(struct vec3 a, struct vec3 b) {
  return (struct vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static double blow(const double *x) {
  struct world w = {.count = 3, .wind = {x[0], x[1], x[2]}};
  for (int i = 0; i < 3; i++) w.bodies[i] = (struct body){{x[i], 1, i}, {0, x[3], 1}, x[i] + 2, "ab"};
  struct world old = w;
  for (int t = 0; t < 3; t++) {
    for (int i = 0; i < w.count; i++) {
      add(&w.bodies[i].speed, &w.wind, 1 / w.bodies[i].mass);
      add(&w.bodies[i].at, &w.bodies[i].speed, 0.1);
      w.wind = cross(w.wind, w.bodies[i].at);
    }
    struct body swap = w.bodies[0];
    w.bodies[0] = w.bodies[2];
    w.bodies[2] = swap;
    if (t == 1) old.bodies[1] = w.bodies[1], w.wind = old.wind;
  }
  double s = 0;
  for (int i = 0; i < 3; i++) s += w.bodies[i].at.x * old.bodies[i].speed.y + w.bodies[i].at.z;
  return s + w.wind.y;
}
DERIVED(blow)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK_DERIVED(blow, x);
  return check_done();
}

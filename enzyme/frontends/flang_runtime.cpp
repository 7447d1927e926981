// What programs in Fortran call of the runtime library of flang 22, written again in terms of which derivatives are
// known: loads, stores, block transfers, malloc and free.
//
// Every body is put in the place of its call, and what is constant there decides the rest: the rank, and the type of
// the elements. What is done with elements that have parts, as allocatable components, stands in one function for each
// derived type of a program; it is written from the tables of types that flang emits (enzyme/frontends/fortran.py).
//
// Descriptors are those of Fortran 2018, 18.5 (ISO_Fortran_binding.h), with what flang appends; the tables of derived
// types are those that flang emits (its module __fortran_type_info). Names and parameters are flang's. Whatever has no
// body here keeps flang's own: a derivative that would need it is refused.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
// For every dimension. There is no loop to unroll, so descriptors become registers where the rank is known.
#define EACH_DIM(rank, ...)      \
  do {                           \
    AT_DIM(0, rank, __VA_ARGS__) \
    AT_DIM(1, rank, __VA_ARGS__) \
    AT_DIM(2, rank, __VA_ARGS__) \
    AT_DIM(3, rank, __VA_ARGS__) \
    AT_DIM(4, rank, __VA_ARGS__) \
    AT_DIM(5, rank, __VA_ARGS__) \
    AT_DIM(6, rank, __VA_ARGS__) \
  } while (0)
#define AT_DIM(number, rank, ...) \
  if (number < (rank)) {          \
    enum { k = number };          \
    __VA_ARGS__;                  \
  }
#define FLANG extern "C" __attribute__((always_inline))
#define APART static __attribute__((noinline))

enum { POINTER = 1, ALLOCATABLE = 2 };
enum { BOOL = 39, CHARACTER = 40, STRUCT = 42 };
enum { HAS_ADDENDUM = 1 };
enum { MAX_RANK = 7, VERSION = 20240719 };

typedef struct {
  int64_t lower, extent, stride;  // elements, elements, bytes
} Dim;

typedef struct {
  char *base;
  size_t length;  // bytes of an element
  int32_t version;
  uint8_t rank;
  int8_t type;
  uint8_t attribute, extra;
  Dim dim[];  // rank of them, and an Addendum where extra says so
} Desc;

typedef struct {  // of any rank, for descriptors made here
  char *base;
  size_t length;
  int32_t version;
  uint8_t rank;
  int8_t type;
  uint8_t attribute, extra;
  Dim dim[MAX_RANK];
} Room;

struct Type;

typedef struct {
  const Type *type;
  int64_t parameters[1];
} Addendum;

typedef struct {  // the head of a descriptor
  char *base;
  size_t length;
  int32_t version;
  uint8_t rank;
  int8_t type;
  uint8_t attribute, extra;
} Scalar;

typedef struct {
  Scalar head;
  Dim dim;
} Vector;

typedef struct {
  Scalar head;
  Dim dim;
  Addendum addendum;
} VectorOf;

typedef struct {
  Scalar head;
  Addendum addendum;
} ScalarOf;

struct Type {  // flang's table of a derived type
  VectorOf bindings;
  Scalar name;
  uint64_t size;
  ScalarOf uninstantiated;
  Vector kinds, lengths;
  VectorOf components, procedures, special;
  uint32_t special_bits;
  uint8_t has_parent, no_initialisation, no_destruction, no_finalisation, no_defined_assignment;
};

[[noreturn]] APART void fail(const char *message) {
  fputs(message, stderr);
  abort();
}

// --- descriptors ----------------------------------------------------------------------------------------------------

// What follows the dimensions. The rank chooses among places that are known: a place that is computed would keep a
// descriptor from becoming registers.
#define ADDENDUM(d, at_rank, ...)                                \
  case at_rank: {                                                \
    Addendum *addendum = (Addendum *)&(d)->dim[at_rank];         \
    __VA_ARGS__;                                                 \
  } break;
#define WITH_ADDENDUM(d, ...)         \
  if ((d)->extra & HAS_ADDENDUM) {    \
    switch ((d)->rank) {              \
      ADDENDUM(d, 0, __VA_ARGS__)     \
      ADDENDUM(d, 1, __VA_ARGS__)     \
      ADDENDUM(d, 2, __VA_ARGS__)     \
      ADDENDUM(d, 3, __VA_ARGS__)     \
      ADDENDUM(d, 4, __VA_ARGS__)     \
      ADDENDUM(d, 5, __VA_ARGS__)     \
      ADDENDUM(d, 6, __VA_ARGS__)     \
      ADDENDUM(d, 7, __VA_ARGS__)     \
    }                                 \
  }

INLINE const Type *type_of(const Desc *d) {
  if (d->type == STRUCT) WITH_ADDENDUM(d, return addendum->type);
  return NULL;
}

INLINE void set_type(Desc *d, const Type *type) {
  WITH_ADDENDUM(d, *addendum = (Addendum){type, {0}});
}

INLINE int64_t elements(const Desc *d, int rank) {
  int64_t n = 1;
  EACH_DIM(rank, n *= d->dim[k].extent);
  return n;
}

INLINE bool contiguous(const Desc *d, int rank) {
  int64_t stride = d->length;
  EACH_DIM(rank, {
    if (d->dim[k].extent != 1 && d->dim[k].stride != stride) return false;
    stride *= d->dim[k].extent;
  });
  return true;
}

// A descriptor of unallocated memory, each extent 0; ``inner``: the table of a derived type.
INLINE void describe(Desc *d, size_t length, int rank, int code, const Type *inner, int attribute = ALLOCATABLE) {
  d->base = NULL;
  d->length = length;
  d->version = VERSION;
  d->rank = rank;
  d->type = code;
  d->attribute = attribute;
  d->extra = inner != NULL ? HAS_ADDENDUM : 0;
  EACH_DIM(rank, d->dim[k] = (Dim){1, 0, 0});
  set_type(d, inner);
}

INLINE char *block(size_t bytes) {
  void *p = malloc(bytes > 0 ? bytes : 1);
  if (p == NULL) fail("Fortran: there is no memory left to allocate\n");
  return (char *)p;
}

INLINE void allocate(Desc *d, int rank) {
  int64_t stride = d->length;
  EACH_DIM(rank, {
    d->dim[k].stride = stride;
    stride *= d->dim[k].extent;
  });
  d->base = block(stride);
}

// The address of an element by its number in array element order.
INLINE char *element(const Desc *d, int64_t number, int rank) {
  if (rank == 1) return d->base + number * d->dim[0].stride;
  int64_t offset = 0;
  EACH_DIM(rank, {
    int64_t extent = d->dim[k].extent;
    offset += number % extent * d->dim[k].stride;
    number /= extent;
  });
  return d->base + offset;
}

INLINE int64_t elements(const Desc *d) { return elements(d, d->rank); }
INLINE bool contiguous(const Desc *d) { return contiguous(d, d->rank); }
INLINE void allocate(Desc *d) { allocate(d, d->rank); }
INLINE char *element(const Desc *d, int64_t number) { return element(d, number, d->rank); }

INLINE bool truth(const char *at, size_t length) {
  switch (length) {
    case 1: return *at != 0;
    case 2: return *(const int16_t *)at != 0;
    case 4: return *(const int32_t *)at != 0;
    default: return *(const int64_t *)at != 0;
  }
}

// Whether element ``number`` counts: there is no mask, a mask for all, or one for each.
INLINE bool counts(const Desc *mask, int64_t number) {
  if (mask == NULL) return true;
  return truth(mask->rank == 0 ? mask->base : element(mask, number), mask->length);
}

INLINE int integer_code(int kind) { return kind == 1 ? 7 : kind == 2 ? 8 : kind == 4 ? 9 : 10; }

INLINE int64_t integer(const Desc *d, int64_t number) {
  const char *at = element(d, number);
  switch (d->length) {
    case 1: return *(const int8_t *)at;
    case 2: return *(const int16_t *)at;
    case 4: return *(const int32_t *)at;
    default: return *(const int64_t *)at;
  }
}

INLINE void store_integer(char *at, size_t length, int64_t value) {
  switch (length) {
    case 1: *(int8_t *)at = value; break;
    case 2: *(int16_t *)at = value; break;
    case 4: *(int32_t *)at = value; break;
    default: *(int64_t *)at = value;
  }
}

// --- derived types --------------------------------------------------------------------------------------------------

// One element, by its type: what has parts.
INLINE void initialise_one(char *at, const Type *type);
INLINE void destroy_one(char *at, const Type *type);
INLINE void copy_one(char *to, const char *from, const Type *type);
INLINE const Type *parent_of(const Type *type);
INLINE bool points_to_parts();

// The same of a type that only the running program knows: apart, as the code for all types is much.
APART void initialise_any(char *at, const Type *type) {
  if (!type->no_initialisation) initialise_one(at, type);
}

APART void destroy_any(char *at, const Type *type) {
  if (!type->no_destruction) destroy_one(at, type);
}

APART void copy_any(char *to, const char *from, size_t length, const Type *type) {
  if (type->no_destruction) memcpy(to, from, length);
  else copy_one(to, from, type);
}

INLINE void initialise(char *at, int64_t count, const Type *type, bool any = false) {
  if (type == NULL || type->no_initialisation) return;
  for (int64_t i = 0; i < count; ++i) {
    if (any) initialise_any(at + i * type->size, type);
    else initialise_one(at + i * type->size, type);
  }
}

INLINE void destroy(char *at, int64_t count, const Type *type, bool any = false) {
  if (type == NULL || type->no_destruction) return;
  for (int64_t i = 0; i < count; ++i) {
    if (any) destroy_any(at + i * type->size, type);
    else destroy_one(at + i * type->size, type);
  }
}

INLINE void deallocate(Desc *d) {
  destroy(d->base, elements(d), type_of(d));  // what is allocated has no gaps
  free(d->base);
  d->base = NULL;
}

FLANG void _FortranAInitialize(Desc *d, const char *file, int line) {
  const Type *type = type_of(d);
  if (type == NULL || type->no_initialisation) return;
  int64_t n = elements(d);
  for (int64_t i = 0; i < n; ++i) initialise_one(element(d, i), type);
}

FLANG void _FortranADestroy(Desc *d) {
  const Type *type = type_of(d);
  if (type == NULL || type->no_destruction) return;
  int64_t n = elements(d);
  for (int64_t i = 0; i < n; ++i) destroy_one(element(d, i), type);
}

FLANG void _FortranADestroyWithoutFinalization(Desc *d) { _FortranADestroy(d); }

FLANG void _FortranAFinalize(Desc *d, const char *file, int line) {}

FLANG bool _FortranASameTypeAs(const Desc *a, const Desc *b) {
  const Type *one = type_of(a), *other = type_of(b);
  return a->type == b->type && one == other;
}

FLANG bool _FortranAClassIs(const Desc *d, const Type *asked) {
  for (const Type *type = type_of(d); type != NULL; type = parent_of(type))
    if (type == asked) return true;
  return false;
}

FLANG bool _FortranAExtendsTypeOf(const Desc *d, const Desc *mold) {
  const Type *asked = type_of(mold);
  return asked == NULL || _FortranAClassIs(d, asked);
}

// --- allocate and deallocate ----------------------------------------------------------------------------------------

INLINE void set_bounds(Desc *d, int k, int64_t lower, int64_t upper) {
  d->dim[k].lower = upper >= lower ? lower : 1;
  d->dim[k].extent = upper >= lower ? upper - lower + 1 : 0;
}

FLANG void _FortranAAllocatableSetBounds(Desc *d, int k, int64_t lower, int64_t upper) { set_bounds(d, k, lower, upper); }

FLANG void _FortranAPointerSetBounds(Desc *d, int k, int64_t lower, int64_t upper) { set_bounds(d, k, lower, upper); }

INLINE void made(Desc *d) {
  allocate(d);
  initialise(d->base, elements(d), type_of(d));
}

FLANG int _FortranAAllocatableAllocate(
    Desc *d, int64_t *async, bool status, const Desc *message, const char *file, int line, void *device) {
  if (d->base != NULL) {
    if (status) return 12;
    fail("Fortran: ALLOCATE of an array that is allocated\n");
  }
  made(d);
  return 0;
}

FLANG int _FortranAPointerAllocate(Desc *d, bool status, const Desc *message, const char *file, int line, void *device) {
  made(d);
  return 0;
}

FLANG int _FortranAAllocatableDeallocate(Desc *d, bool status, const Desc *message, const char *file, int line) {
  if (d->base == NULL) {
    if (status) return 11;
    fail("Fortran: DEALLOCATE of an array that is not allocated\n");
  }
  deallocate(d);
  return 0;
}

// Where a pointer comes from a component, its type is in memory; whether any has parts to be dropped is in the tables.
INLINE int deallocate_pointer(Desc *d, bool status) {
  if (d->base == NULL) {
    if (status) return 11;
    fail("Fortran: DEALLOCATE of a pointer that is not associated\n");
  }
  const Type *type = type_of(d);
  if (__builtin_constant_p(type) || points_to_parts()) destroy(d->base, elements(d), type);
  free(d->base);
  d->base = NULL;
  return 0;
}

FLANG int _FortranAPointerDeallocate(Desc *d, bool status, const Desc *message, const char *file, int line) {
  return deallocate_pointer(d, status);
}

INLINE void forget(Desc *d, const Type *type) {
  if (type != NULL) set_type(d, type);
}

FLANG int _FortranAAllocatableDeallocatePolymorphic(
    Desc *d, const Type *type, bool status, const Desc *message, const char *file, int line) {
  int done = _FortranAAllocatableDeallocate(d, status, message, file, line);
  if (done == 0) forget(d, type);
  return done;
}

FLANG int _FortranAPointerDeallocatePolymorphic(
    Desc *d, const Type *type, bool status, const Desc *message, const char *file, int line) {
  int done = deallocate_pointer(d, status);
  if (done == 0) forget(d, type);
  return done;
}

FLANG void _FortranAAllocatableInitDerivedForAllocate(Desc *d, const Type *type, int rank, int corank) {
  if (d->base == NULL) describe(d, type->size, rank, STRUCT, type);
}

FLANG void _FortranAPointerNullifyDerived(Desc *d, const Type *type, int rank, int corank) {
  describe(d, type->size, rank, STRUCT, type, POINTER);
}

FLANG int _FortranAMoveAlloc(
    Desc *to, Desc *from, const Type *type, bool status, const Desc *message, const char *file, int line) {
  if (to->base != NULL && to->base == from->base) return 0;
  if (to->base != NULL) deallocate(to);
  if (from->base == NULL) return 0;
  to->base = from->base;
  to->length = from->length;
  EACH_DIM(to->rank, to->dim[k] = from->dim[k]);
  set_type(to, type_of(from));
  from->base = NULL;
  forget(from, type);
  return 0;
}

// --- assignment -----------------------------------------------------------------------------------------------------

INLINE const char *lowest(const Desc *d, int rank) {
  const char *at = d->base;
  EACH_DIM(rank, if (d->dim[k].stride < 0) at += (d->dim[k].extent - 1) * d->dim[k].stride);
  return at;
}

INLINE const char *behind(const Desc *d, int rank) {
  const char *at = d->base + d->length;
  EACH_DIM(rank, if (d->dim[k].stride > 0) at += (d->dim[k].extent - 1) * d->dim[k].stride);
  return at;
}

INLINE bool overlap(const Desc *a, const Desc *b, int rank) {
  return elements(a, rank) > 0 && lowest(a, rank) < behind(b, rank) && lowest(b, rank) < behind(a, rank);
}

INLINE bool same_shape(const Desc *a, const Desc *b, int rank) {
  EACH_DIM(rank, if (a->dim[k].extent != b->dim[k].extent) return false);
  return true;
}

// Element by element; ``type``: of derived types with allocatable parts, else NULL.
INLINE void copy_elements(
    const Desc *to, const Desc *from, int rank, bool one, size_t length, const Type *type, bool any = false) {
  int64_t across = one ? 0 : from->dim[0].stride;
  if (rank == 0) {
    if (type == NULL) memcpy(to->base, from->base, length);
    else if (any) copy_any(to->base, from->base, length, type);
    else copy_one(to->base, from->base, type);
  } else if (type != NULL) {
    int64_t n = elements(to, rank);
    bool dense = to->attribute == ALLOCATABLE, from_dense = from->attribute == ALLOCATABLE;
    for (int64_t i = 0; i < n; ++i) {
      char *out = dense ? to->base + i * type->size : element(to, i, rank);
      const char *in = one ? from->base : from_dense ? from->base + i * type->size : element(from, i, rank);
      if (any) copy_any(out, in, length, type);
      else copy_one(out, in, type);
    }
  } else if (rank == 1) {
    for (int64_t i = 0; i < to->dim[0].extent; ++i)
      memcpy(to->base + i * to->dim[0].stride, from->base + i * across, length);
  } else if (rank == 2) {
    int64_t next = one ? 0 : from->dim[1].stride;
    for (int64_t j = 0; j < to->dim[1].extent; ++j)
      for (int64_t i = 0; i < to->dim[0].extent; ++i)
        memcpy(to->base + i * to->dim[0].stride + j * to->dim[1].stride, from->base + i * across + j * next, length);
  } else {
    int64_t n = elements(to, rank);
    for (int64_t i = 0; i < n; ++i)
      memcpy(element(to, i, rank), one ? from->base : element(from, i, rank), length);
  }
}

INLINE void copy_overlapping(const Desc *to, const Desc *from, int rank, size_t length, const Type *parts, bool any) {
  Room held;
  Desc *temporary = (Desc *)&held;
  describe(temporary, length, rank, from->type, NULL);
  EACH_DIM(rank, temporary->dim[k] = (Dim){1, from->dim[k].extent, 0});
  allocate(temporary, rank);
  int64_t count = elements(temporary, rank);
  if (parts != NULL) initialise(temporary->base, count, parts, any);
  copy_elements(temporary, from, rank, false, length, parts, any);
  copy_elements(to, temporary, rank, false, length, parts, any);
  if (parts != NULL) destroy(temporary->base, count, parts, any);
  free(temporary->base);
}

// Characters of another length: cut, or filled with blanks.
INLINE void copy_characters(const Desc *to, const Desc *from) {
  int64_t n = elements(to);
  for (int64_t i = 0; i < n; ++i) {
    char *out = element(to, i);
    const char *in = from->rank == 0 ? from->base : element(from, i);
    for (size_t k = 0; k < to->length; ++k) out[k] = k < from->length ? in[k] : ' ';
  }
}

// ``rank`` of what is assigned to, which may be given one value (``one``); ``code`` and ``type`` of what is assigned.
// What is known of ``from`` is not asked of ``to``: a part of something in memory, of which less is known.
INLINE void assign(Desc *to, const Desc *from, bool polymorphic, int rank, bool one, int code, const Type *type) {
  const Type *parts = type != NULL && !type->no_destruction ? type : NULL;
  bool characters = code == CHARACTER;
  size_t length = (characters && to->length != 0) || (!polymorphic && type != NULL) ? to->length : from->length;
  char *old = NULL;  // what is freed last: what is assigned may be a part of it
  int64_t old_count = 0;
  const Type *old_type = type;
  if (to->attribute == ALLOCATABLE &&
      (to->base == NULL || (polymorphic && (to->length != length || type_of(to) != type)) ||
       (!one && !same_shape(to, from, rank)))) {
    old = to->base;
    if (polymorphic) old_type = type_of(to);
    if (old != NULL && old_type != NULL && !old_type->no_destruction) old_count = elements(to, rank);
    to->length = length;
    if (polymorphic) {
      to->type = from->type;
      set_type(to, type);
    }
    if (!one) {
      EACH_DIM(rank, {
        to->dim[k].lower = from->dim[k].extent > 0 ? from->dim[k].lower : 1;
        to->dim[k].extent = from->dim[k].extent;
      });
    }
    allocate(to, rank);
    if (parts != NULL) initialise(to->base, elements(to, rank), parts, polymorphic);
  }
  if (characters && length != from->length) {
    copy_characters(to, from);
  } else if (parts == NULL && !one && (to->attribute == ALLOCATABLE || contiguous(to, rank)) && contiguous(from, rank)) {
    memmove(to->base, from->base, elements(from, rank) * length);
  } else if (!one && overlap(to, from, rank)) {
    copy_overlapping(to, from, rank, length, parts, polymorphic);
  } else {
    copy_elements(to, from, rank, one, length, parts, polymorphic);
  }
  if (old_count > 0) destroy(old, old_count, old_type, polymorphic);
  if (old != NULL) free(old);
}

INLINE void assign(Desc *to, const Desc *from, bool polymorphic) {
  int rank = __builtin_constant_p(from->rank) && from->rank > 0 ? from->rank : to->rank;
  bool one = from->rank == 0 && rank > 0;
  const Type *given = type_of(from);
  if (polymorphic) {
    assign(to, from, true, rank, one, from->type, given);
    return;
  }
  // Of one of the two the type is often known, of the other only that it is the same. An element of a type that
  // extends another may be assigned to one of that.
  int code = __builtin_constant_p(from->type) ? from->type : to->type;
  bool known = __builtin_constant_p(given) && (given == NULL || parent_of(given) == NULL);
  assign(to, from, false, rank, one, code, known ? given : code == STRUCT ? type_of(to) : NULL);
}

FLANG void _FortranAAssign(Desc *to, const Desc *from, const char *file, int line) { assign(to, from, false); }

FLANG void _FortranAAssignPolymorphic(Desc *to, const Desc *from, const char *file, int line) { assign(to, from, true); }

// What is assigned to holds nothing yet, as a component of a structure that is made.
FLANG void _FortranAAssignTemporary(Desc *to, const Desc *from, const char *file, int line) {
  if (to->base != NULL) _FortranAInitialize(to, file, line);
  assign(to, from, false);
}

FLANG int _FortranAAllocatableAllocateSource(
    Desc *d, const Desc *source, bool status, const Desc *message, const char *file, int line) {
  int done = _FortranAAllocatableAllocate(d, NULL, status, message, file, line, NULL);
  if (done == 0) assign(d, source, false);
  return done;
}

FLANG int _FortranAPointerAllocateSource(
    Desc *d, const Desc *source, bool status, const Desc *message, const char *file, int line) {
  made(d);
  assign(d, source, false);
  return 0;
}

// The descriptor of the copy is made here. Its elements are copied as they are, and back again.
FLANG void _FortranACopyInAssign(Desc *to, const Desc *from, const char *file, int line) {
  int rank = from->rank;
  describe(to, from->length, rank, from->type, type_of(from));
  EACH_DIM(rank, to->dim[k].extent = from->dim[k].extent);
  allocate(to, rank);
  copy_elements(to, from, rank, false, from->length, NULL);
}

FLANG void _FortranACopyOutAssign(Desc *to, Desc *from, const char *file, int line) {
  if (to != NULL) copy_elements(to, from, from->rank, false, from->length, NULL);
  free(from->base);
  from->base = NULL;
}

FLANG bool _FortranAIsContiguous(const Desc *d) { return contiguous(d); }

FLANG bool _FortranAIsContiguousUpTo(const Desc *d, int rank) {
  int64_t stride = d->length;
  for (int k = 0; k < d->rank && k < rank; ++k) {
    if (d->dim[k].extent != 1 && d->dim[k].stride != stride) return false;
    stride *= d->dim[k].extent;
  }
  return true;
}

// --- array constructors ---------------------------------------------------------------------------------------------

typedef struct {
  Desc *to;
  int64_t next, room;
} Values;

FLANG void _FortranAInitArrayConstructorVector(Values *values, Desc *to, bool lengths, const char *file, int line) {
  values->to = to;
  values->next = 0;
  values->room = to->base != NULL ? to->dim[0].extent : 0;
}

INLINE void want(Values *values, size_t length, int64_t more) {
  Desc *to = values->to;
  int64_t asked = values->next + more;
  if (to->base == NULL) {
    if (to->length == 0) to->length = length;
    if (to->dim[0].extent < asked) to->dim[0].extent = asked > 4 ? asked : 4;
    values->room = to->dim[0].extent;
    to->dim[0].lower = 1;
    allocate(to);
  } else if (to->attribute == ALLOCATABLE && values->room < asked) {
    values->room = asked > 2 * values->room ? asked : 2 * values->room;
    char *grown = block(values->room * to->length);
    memcpy(grown, to->base, values->next * to->length);
    free(to->base);
    to->base = grown;
  }
  if (to->dim[0].extent < asked || values->next == 0) to->dim[0].extent = asked;
}

// Room for more, and where it is. An extent that was known before stays.
INLINE char *next_values(Values *values, size_t length, int64_t more) {
  Desc *to = values->to;
  int64_t known = to->base == NULL ? to->dim[0].extent : 0;
  want(values, length, more);
  if (to->dim[0].extent < known) to->dim[0].extent = known;
  char *at = to->base + values->next * to->length;
  values->next += more;
  return at;
}

FLANG void _FortranAPushArrayConstructorValue(Values *values, const Desc *from) {
  int64_t n = elements(from);
  char *at = next_values(values, from->length, n);
  size_t length = values->to->length;
  const Type *type = type_of(from);
  if (type != NULL && !type->no_destruction) {
    initialise(at, n, type);
    for (int64_t i = 0; i < n; ++i) copy_one(at + i * length, element(from, i), type);
  } else if (contiguous(from)) {
    memcpy(at, from->base, n * length);
  } else {
    for (int64_t i = 0; i < n; ++i) memcpy(at + i * length, element(from, i), length);
  }
}

FLANG void _FortranAPushArrayConstructorSimpleScalar(Values *values, const void *from) {
  char *at = next_values(values, values->to->length, 1);
  memcpy(at, from, values->to->length);
}

// --- reductions -----------------------------------------------------------------------------------------------------

// Every reduction walks over the elements of one array that count. ``at`` is the address of each, ``i`` its number.
#define EACH(x, mask, ...)                                        \
  do {                                                            \
    int64_t count_ = elements(x);                                 \
    if ((mask) == NULL && contiguous(x)) {                        \
      const char *at = (x)->base;                                 \
      for (int64_t i = 0; i < count_; ++i, at += (x)->length) {   \
        __VA_ARGS__;                                              \
      }                                                           \
    } else {                                                      \
      for (int64_t i = 0; i < count_; ++i)                        \
        if (counts(mask, i)) {                                    \
          const char *at = element(x, i);                         \
          __VA_ARGS__;                                            \
        }                                                         \
    }                                                             \
  } while (0)

#define HUGE_real(T) (sizeof(T) == 4 ? (T)__FLT_MAX__ : (T)__DBL_MAX__)
#define HUGE_int(T) ((T)(((uint64_t)1 << (8 * sizeof(T) - 1)) - 1))

#define REDUCTIONS(T, Name, largest, smallest)                                                                          \
  static T sum_##Name(const Desc *x, const Desc *mask) {                                                                \
    T found = 0;                                                                                                        \
    EACH(x, mask, found += *(const T *)at);                                                                             \
    return found;                                                                                                       \
  }                                                                                                                     \
  static T product_##Name(const Desc *x, const Desc *mask) {                                                            \
    T found = 1;                                                                                                        \
    EACH(x, mask, found *= *(const T *)at);                                                                             \
    return found;                                                                                                       \
  }                                                                                                                     \
  static T maxval_##Name(const Desc *x, const Desc *mask) {                                                             \
    T found = smallest;                                                                                                 \
    EACH(x, mask, found = *(const T *)at > found ? *(const T *)at : found);                                             \
    return found;                                                                                                       \
  }                                                                                                                     \
  static T minval_##Name(const Desc *x, const Desc *mask) {                                                             \
    T found = largest;                                                                                                  \
    EACH(x, mask, found = *(const T *)at < found ? *(const T *)at : found);                                             \
    return found;                                                                                                       \
  }                                                                                                                     \
  static int64_t maxloc_##Name(const Desc *x, const Desc *mask, bool back) {                                            \
    int64_t found = -1;                                                                                                 \
    T best = smallest;                                                                                                  \
    EACH(x, mask, if (found < 0 || (back ? *(const T *)at >= best : *(const T *)at > best)) {                           \
      found = i;                                                                                                        \
      best = *(const T *)at;                                                                                            \
    });                                                                                                                 \
    return found;                                                                                                       \
  }                                                                                                                     \
  static int64_t minloc_##Name(const Desc *x, const Desc *mask, bool back) {                                            \
    int64_t found = -1;                                                                                                 \
    T best = largest;                                                                                                   \
    EACH(x, mask, if (found < 0 || (back ? *(const T *)at <= best : *(const T *)at < best)) {                           \
      found = i;                                                                                                        \
      best = *(const T *)at;                                                                                            \
    });                                                                                                                 \
    return found;                                                                                                       \
  }                                                                                                                     \
  extern "C" T _FortranASum##Name(const Desc *x, const char *file, int line, int dim, const Desc *mask) {                          \
    return sum_##Name(x, mask);                                                                                         \
  }                                                                                                                     \
  extern "C" T _FortranAProduct##Name(const Desc *x, const char *file, int line, int dim, const Desc *mask) {                      \
    return product_##Name(x, mask);                                                                                     \
  }                                                                                                                     \
  extern "C" T _FortranAMaxval##Name(const Desc *x, const char *file, int line, int dim, const Desc *mask) {                       \
    return maxval_##Name(x, mask);                                                                                      \
  }                                                                                                                     \
  extern "C" T _FortranAMinval##Name(const Desc *x, const char *file, int line, int dim, const Desc *mask) {                       \
    return minval_##Name(x, mask);                                                                                      \
  }                                                                                                                     \
  extern "C" T _FortranADotProduct##Name(const Desc *x, const Desc *y, const char *file, int line) {                               \
    T found = 0;                                                                                                        \
    int64_t n = x->dim[0].extent;                                                                                       \
    for (int64_t i = 0; i < n; ++i)                                                                                     \
      found += *(const T *)(x->base + i * x->dim[0].stride) * *(const T *)(y->base + i * y->dim[0].stride);             \
    return found;                                                                                                       \
  }

REDUCTIONS(double, Real8, HUGE_real(double), -HUGE_real(double))
REDUCTIONS(float, Real4, HUGE_real(float), -HUGE_real(float))
REDUCTIONS(int8_t, Integer1, HUGE_int(int8_t), -HUGE_int(int8_t) - 1)
REDUCTIONS(int16_t, Integer2, HUGE_int(int16_t), -HUGE_int(int16_t) - 1)
REDUCTIONS(int32_t, Integer4, HUGE_int(int32_t), -HUGE_int(int32_t) - 1)
REDUCTIONS(int64_t, Integer8, HUGE_int(int64_t), -HUGE_int(int64_t) - 1)

#define COMPLEX_REDUCTIONS(T, Name)                                                                                     \
  static T _Complex sum_##Name(const Desc *x, const Desc *mask) {                                                       \
    T _Complex found = 0;                                                                                               \
    EACH(x, mask, found += *(const T _Complex *)at);                                                                    \
    return found;                                                                                                       \
  }                                                                                                                     \
  static T _Complex product_##Name(const Desc *x, const Desc *mask) {                                                   \
    T re = 1, im = 0;                                                                                                   \
    EACH(x, mask, {                                                                                                     \
      T a = ((const T *)at)[0], b = ((const T *)at)[1], kept = re;                                                      \
      re = kept * a - im * b;                                                                                           \
      im = kept * b + im * a;                                                                                           \
    });                                                                                                                 \
    T _Complex found;                                                                                                   \
    ((T *)&found)[0] = re;                                                                                              \
    ((T *)&found)[1] = im;                                                                                              \
    return found;                                                                                                       \
  }                                                                                                                     \
  extern "C" void _FortranACppSum##Name(                                                                                           \
      T _Complex *result, const Desc *x, const char *file, int line, int dim, const Desc *mask) {                       \
    *result = sum_##Name(x, mask);                                                                                      \
  }                                                                                                                     \
  extern "C" void _FortranACppProduct##Name(                                                                                       \
      T _Complex *result, const Desc *x, const char *file, int line, int dim, const Desc *mask) {                       \
    *result = product_##Name(x, mask);                                                                                  \
  }                                                                                                                     \
  extern "C" void _FortranACppDotProduct##Name(                                                                                    \
      T _Complex *result, const Desc *x, const Desc *y, const char *file, int line) {                                   \
    T re = 0, im = 0;                                                                                                   \
    int64_t n = x->dim[0].extent;                                                                                       \
    for (int64_t i = 0; i < n; ++i) {                                                                                   \
      const T *a = (const T *)(x->base + i * x->dim[0].stride), *b = (const T *)(y->base + i * y->dim[0].stride);       \
      re += a[0] * b[0] + a[1] * b[1];                                                                                  \
      im += a[0] * b[1] - a[1] * b[0];                                                                                  \
    }                                                                                                                   \
    ((T *)result)[0] = re;                                                                                              \
    ((T *)result)[1] = im;                                                                                              \
  }

COMPLEX_REDUCTIONS(double, Complex8)
COMPLEX_REDUCTIONS(float, Complex4)

#define NORM2(T, kind, root)                                                          \
  static T norm2_##kind(const Desc *x) {                                              \
    T largest = 0, found = 0;                                                         \
    EACH(x, NULL, {                                                                   \
      T size = *(const T *)at < 0 ? -*(const T *)at : *(const T *)at;                 \
      largest = size > largest ? size : largest;                                      \
    });                                                                               \
    /* Scaled only where squares would leave the range of the type. */                \
    T scale = largest > (T)1e15 || largest < (T)1e-15 ? largest : (T)1;               \
    if (scale == 0) return 0;                                                         \
    EACH(x, NULL, found += *(const T *)at / scale * (*(const T *)at / scale));        \
    return scale * root(found);                                                       \
  }                                                                                   \
  extern "C" T _FortranANorm2_##kind(const Desc *x, const char *file, int line, int dim) { return norm2_##kind(x); }

NORM2(double, 8, __builtin_sqrt)
NORM2(float, 4, __builtin_sqrtf)

extern "C" bool _FortranAAny(const Desc *mask, const char *file, int line, int dim) {
  EACH(mask, NULL, if (truth(at, mask->length)) return true);
  return false;
}

extern "C" bool _FortranAAll(const Desc *mask, const char *file, int line, int dim) {
  EACH(mask, NULL, if (!truth(at, mask->length)) return false);
  return true;
}

extern "C" int64_t _FortranACount(const Desc *mask, const char *file, int line, int dim) {
  int64_t found = 0;
  EACH(mask, NULL, found += truth(at, mask->length));
  return found;
}

// --- reductions along one dimension ---------------------------------------------------------------------------------

// The elements of ``x`` along one dimension that belong to result ``number``, as a vector, and those of the mask.
INLINE void line_of(Room *line, const Desc *x, int along, int64_t number) {
  line->base = x->base;
  line->length = x->length;
  line->rank = 1;
  line->type = x->type;
  line->extra = 0;
  line->dim[0] = (Dim){1, x->dim[along].extent, x->dim[along].stride};
  EACH_DIM(x->rank, if (k != along) {
    line->base += number % x->dim[k].extent * x->dim[k].stride;
    number /= x->dim[k].extent;
  });
}

INLINE void room_without(Desc *result, const Desc *x, int k, size_t length, int type) {
  describe(result, length, x->rank - 1, type, NULL);
  for (int j = 0, to = 0; j < x->rank; ++j)
    if (j != k) result->dim[to++] = (Dim){1, x->dim[j].extent, 0};
  allocate(result);
}

#define ALONG(result, x, k, mask, statement)                                       \
  do {                                                                             \
    int64_t results_ = elements(result);                                           \
    for (int64_t r = 0; r < results_; ++r) {                                       \
      Room line_, mask_line_;                                                      \
      line_of(&line_, x, k, r);                                                    \
      const Desc *one = (const Desc *)&line_, *some = mask;                        \
      if (some != NULL && some->rank > 0) {                                        \
        line_of(&mask_line_, some, k, r);                                          \
        some = (const Desc *)&mask_line_;                                          \
      }                                                                            \
      char *out = (result)->base + r * (result)->length;                           \
      statement;                                                                   \
    }                                                                              \
  } while (0)

#define CASE(code, T, f, Name) \
  case code: ALONG(result, x, dim - 1, mask, *(T *)out = f##_##Name(one, some)); break;

#define COMPLEX_CASES(f)                 \
  CASE(35, double _Complex, f, Complex8) \
  CASE(34, float _Complex, f, Complex4)

#define DIM_REDUCTION(Function, f, complex_cases)                                                                \
  FLANG void _FortranA##Function##Dim(                                                                           \
      Desc *result, const Desc *x, int dim, const char *file, int line, const Desc *mask) {                      \
    room_without(result, x, dim - 1, x->length, x->type);                                                        \
    switch (x->type) {                                                                                           \
      CASE(28, double, f, Real8)                                                                                 \
      CASE(27, float, f, Real4)                                                                                  \
      complex_cases                                                                                              \
      CASE(7, int8_t, f, Integer1)                                                                               \
      CASE(8, int16_t, f, Integer2)                                                                              \
      CASE(9, int32_t, f, Integer4)                                                                              \
      CASE(10, int64_t, f, Integer8)                                                                             \
      default: fail("Fortran: a reduction along a dimension of a kind of number that has no derivative here\n"); \
    }                                                                                                            \
  }

DIM_REDUCTION(Sum, sum, COMPLEX_CASES(sum))
DIM_REDUCTION(Product, product, COMPLEX_CASES(product))
DIM_REDUCTION(Maxval, maxval, )
DIM_REDUCTION(Minval, minval, )

FLANG void _FortranANorm2Dim(Desc *result, const Desc *x, int dim, const char *file, int line) {
  room_without(result, x, dim - 1, x->length, x->type);
  if (x->type == 28) ALONG(result, x, dim - 1, (const Desc *)NULL, *(double *)out = norm2_8(one));
  else if (x->type == 27) ALONG(result, x, dim - 1, (const Desc *)NULL, *(float *)out = norm2_4(one));
  else fail("Fortran: NORM2 of a kind of number that has no derivative here\n");
}

FLANG void _FortranAAnyDim(Desc *result, const Desc *x, int dim, const char *file, int line) {
  room_without(result, x, dim - 1, x->length, x->type);
  ALONG(result, x, dim - 1, (const Desc *)NULL, store_integer(out, result->length, _FortranAAny(one, NULL, 0, 0)));
}

FLANG void _FortranAAllDim(Desc *result, const Desc *x, int dim, const char *file, int line) {
  room_without(result, x, dim - 1, x->length, x->type);
  ALONG(result, x, dim - 1, (const Desc *)NULL, store_integer(out, result->length, _FortranAAll(one, NULL, 0, 0)));
}

FLANG void _FortranACountDim(Desc *result, const Desc *x, int dim, int kind, const char *file, int line) {
  room_without(result, x, dim - 1, kind, integer_code(kind));
  ALONG(result, x, dim - 1, (const Desc *)NULL, store_integer(out, result->length, _FortranACount(one, NULL, 0, 0)));
}

APART int64_t no_such_kind() {
  fail("Fortran: MAXLOC or MINLOC of a kind of number that has no derivative here\n");
}

#define PLACE_OF(f, one, some)                        \
  (x->type == 28   ? f##_Real8(one, some, back)       \
   : x->type == 27 ? f##_Real4(one, some, back)       \
   : x->type == 7  ? f##_Integer1(one, some, back)    \
   : x->type == 8  ? f##_Integer2(one, some, back)    \
   : x->type == 9  ? f##_Integer4(one, some, back)    \
   : x->type == 10 ? f##_Integer8(one, some, back)    \
                   : no_such_kind())

#define PLACES(Function, f)                                                                                             \
  FLANG void _FortranA##Function##Dim(                                                                                        \
      Desc *result, const Desc *x, int kind, int dim, const char *file, int line, const Desc *mask, bool back) {        \
    room_without(result, x, dim - 1, kind, integer_code(kind));                         \
    ALONG(result, x, dim - 1, mask, store_integer(out, result->length, PLACE_OF(f, one, some) + 1));                    \
  }                                                                                                                     \
  INLINE void f##_all(Desc *result, const Desc *x, int kind, const Desc *mask, bool back) {                             \
    describe(result, kind, 1, integer_code(kind), NULL);                                     \
    result->dim[0] = (Dim){1, x->rank, 0};                                                                              \
    allocate(result);                                                                                                   \
    int64_t place = PLACE_OF(f, x, mask);                                                                               \
    EACH_DIM(x->rank, {                                                                                                 \
      store_integer(result->base + k * kind, kind, place < 0 ? 0 : place % x->dim[k].extent + 1);                       \
      if (place >= 0) place /= x->dim[k].extent;                                                                        \
    });                                                                                                                 \
  }                                                                                                                     \
  PLACES_OF(Function, f, Real8)                                                                                         \
  PLACES_OF(Function, f, Real4)                                                                                         \
  PLACES_OF(Function, f, Integer1)                                                                                      \
  PLACES_OF(Function, f, Integer2)                                                                                      \
  PLACES_OF(Function, f, Integer4)                                                                                      \
  PLACES_OF(Function, f, Integer8)

#define PLACES_OF(Function, f, Name)                                                                                    \
  FLANG void _FortranA##Function##Name(                                                                                       \
      Desc *result, const Desc *x, int kind, const char *file, int line, const Desc *mask, bool back) {                 \
    f##_all(result, x, kind, mask, back);                                                                               \
  }

PLACES(Maxloc, maxloc)
PLACES(Minloc, minloc)

// --- matrices -------------------------------------------------------------------------------------------------------

INLINE void product_room(Desc *result, const Desc *a, const Desc *b, bool turned) {
  int rank = a->rank == 2 && b->rank == 2 ? 2 : 1;
  describe(result, a->length, rank, a->type, NULL);
  int64_t rows = a->dim[turned ? 1 : 0].extent;
  if (rank == 2) {
    result->dim[0] = (Dim){1, rows, 0};
    result->dim[1] = (Dim){1, b->dim[1].extent, 0};
  } else {
    result->dim[0] = (Dim){1, a->rank == 2 ? rows : b->dim[1].extent, 0};
  }
  allocate(result);
}

// Column by column, each a sum of columns of ``a``, or a scalar product where rows are what is contiguous: unit stride.
#define MATMUL(T, Kind)                                                                                                 \
  static void product_##Kind(                                                                                           \
      T *to, const T *a, const T *b, int64_t rows, int64_t inner, int64_t columns, int64_t to_down, int64_t to_across,  \
      int64_t a_down, int64_t a_across, int64_t b_down, int64_t b_across) {                                             \
    for (int64_t j = 0; j < columns; ++j) {                                                                             \
      T *out = to + j * to_across;                                                                                      \
      const T *column = b + j * b_across;                                                                               \
      if (a_down != 1) {                                                                                                \
        for (int64_t i = 0; i < rows; ++i) {                                                                            \
          T found = 0;                                                                                                  \
          for (int64_t k = 0; k < inner; ++k) found += a[i * a_down + k * a_across] * column[k * b_down];               \
          out[i * to_down] = found;                                                                                     \
        }                                                                                                               \
      } else {                                                                                                          \
        for (int64_t i = 0; i < rows; ++i) out[i * to_down] = 0;                                                        \
        for (int64_t k = 0; k < inner; ++k)                                                                             \
          for (int64_t i = 0; i < rows; ++i) out[i * to_down] += a[i + k * a_across] * column[k * b_down];              \
      }                                                                                                                 \
    }                                                                                                                   \
  }                                                                                                                     \
  INLINE void matmul_##Kind(const Desc *to, const Desc *a, const Desc *b, bool turned) {                                \
    const int64_t size = sizeof(T), inner = b->dim[0].extent, b_down = b->dim[0].stride / size;                         \
    const T *x = (const T *)a->base, *y = (const T *)b->base;                                                           \
    T *z = (T *)to->base;                                                                                               \
    int64_t z_down = to->dim[0].stride / size;                                                                          \
    if (a->rank == 1) { /* a row */                                                                                     \
      product_##Kind(                                                                                                   \
          z, x, y, 1, inner, b->dim[1].extent, 0, z_down, 0, a->dim[0].stride / size, b_down, b->dim[1].stride / size); \
      return;                                                                                                           \
    }                                                                                                                   \
    int64_t rows = turned ? a->dim[1].extent : a->dim[0].extent;                                                        \
    int64_t down = (turned ? a->dim[1].stride : a->dim[0].stride) / size;                                               \
    int64_t across = (turned ? a->dim[0].stride : a->dim[1].stride) / size;                                             \
    if (b->rank == 1)                                                                                                   \
      product_##Kind(z, x, y, rows, inner, 1, z_down, 0, down, across, b_down, 0);                                      \
    else                                                                                                                \
      product_##Kind(                                                                                                   \
          z, x, y, rows, inner, b->dim[1].extent, z_down, to->dim[1].stride / size, down, across, b_down,               \
          b->dim[1].stride / size);                                                                                     \
  }                                                                                                                     \
  FLANG void _FortranAMatmul##Kind##Kind(Desc *result, const Desc *a, const Desc *b, const char *file, int line) {      \
    product_room(result, a, b, false);                                                                                  \
    matmul_##Kind(result, a, b, false);                                                                                 \
  }                                                                                                                     \
  FLANG void _FortranAMatmulDirect##Kind##Kind(                                                                         \
      Desc *result, const Desc *a, const Desc *b, const char *file, int line) {                                         \
    matmul_##Kind(result, a, b, false);                                                                                 \
  }                                                                                                                     \
  FLANG void _FortranAMatmulTranspose##Kind##Kind(                                                                      \
      Desc *result, const Desc *a, const Desc *b, const char *file, int line) {                                         \
    product_room(result, a, b, true);                                                                                   \
    matmul_##Kind(result, a, b, true);                                                                                  \
  }                                                                                                                     \
  FLANG void _FortranAMatmulTransposeDirect##Kind##Kind(                                                                \
      Desc *result, const Desc *a, const Desc *b, const char *file, int line) {                                         \
    matmul_##Kind(result, a, b, true);                                                                                  \
  }

MATMUL(double, Real8)
MATMUL(float, Real4)

FLANG void _FortranATranspose(Desc *result, const Desc *x, const char *file, int line) {
  describe(result, x->length, 2, x->type, NULL);
  for (int k = 0; k < 2; ++k) result->dim[k] = (Dim){1, x->dim[1 - k].extent, 0};
  allocate(result);
  int64_t rows = x->dim[0].extent, columns = x->dim[1].extent;
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = 0; i < rows; ++i)
      memcpy(result->base + (i * columns + j) * x->length, x->base + i * x->dim[0].stride + j * x->dim[1].stride, x->length);
}

// --- shapes ---------------------------------------------------------------------------------------------------------

INLINE void like(Desc *result, const Desc *x, int rank) {
  const Type *type = type_of(x);
  if (type != NULL && !type->no_destruction)
    fail("Fortran: an intrinsic of elements with allocatable parts, which has no derivative here\n");
  describe(result, x->length, rank, x->type, type);
}

FLANG void _FortranAReshape(
    Desc *result, const Desc *x, const Desc *shape, const Desc *pad, const Desc *order, const char *file, int line) {
  int rank = shape->dim[0].extent;
  like(result, x, rank);
  for (int k = 0; k < rank; ++k) {
    int64_t extent = integer(shape, k);
    result->dim[k] = (Dim){1, extent > 0 ? extent : 0, 0};
  }
  allocate(result);
  int64_t n = elements(result), given = elements(x), filling = pad != NULL ? elements(pad) : 0;
  if (order == NULL && contiguous(x) && n <= given) {
    memcpy(result->base, x->base, n * x->length);
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    if (i >= given && filling == 0) fail("Fortran: RESHAPE to more elements than there are\n");
    const char *from = i < given ? element(x, i) : element(pad, (i - given) % filling);
    char *to = result->base;
    if (order == NULL) {
      to += i * x->length;
    } else {
      int64_t number = i;
      for (int k = 0; k < rank; ++k) {
        const Dim *dim = &result->dim[integer(order, k) - 1];
        to += number % dim->extent * dim->stride;
        number /= dim->extent;
      }
    }
    memcpy(to, from, x->length);
  }
}

FLANG void _FortranASpread(Desc *result, const Desc *x, int dim, int64_t copies, const char *file, int line) {
  if (copies < 0) copies = 0;
  like(result, x, x->rank + 1);
  for (int k = 0, from = 0; k <= x->rank; ++k)
    result->dim[k] = (Dim){1, k == dim - 1 ? copies : x->dim[from++].extent, 0};
  allocate(result);
  int64_t inside = 1, n = elements(x);
  for (int k = 0; k < dim - 1; ++k) inside *= x->dim[k].extent;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < copies; ++c)
      memcpy(result->base + (i % inside + inside * (c + copies * (i / inside))) * x->length, element(x, i), x->length);
}

FLANG void _FortranAPack(Desc *result, const Desc *x, const Desc *mask, const Desc *vector, const char *file, int line) {
  int64_t n = elements(x), kept = 0;
  for (int64_t i = 0; i < n; ++i) kept += counts(mask, i);
  like(result, x, 1);
  result->dim[0] = (Dim){1, vector != NULL ? vector->dim[0].extent : kept, 0};
  allocate(result);
  int64_t next = 0;
  for (int64_t i = 0; i < n; ++i)
    if (counts(mask, i)) memcpy(result->base + next++ * x->length, element(x, i), x->length);
  for (; next < result->dim[0].extent; ++next)
    memcpy(result->base + next * x->length, element(vector, next), x->length);
}

FLANG void _FortranAUnpack(
    Desc *result, const Desc *vector, const Desc *mask, const Desc *field, const char *file, int line) {
  like(result, vector, mask->rank);
  EACH_DIM(mask->rank, result->dim[k] = (Dim){1, mask->dim[k].extent, 0});
  allocate(result);
  int64_t n = elements(result), next = 0;
  for (int64_t i = 0; i < n; ++i) {
    const char *from = counts(mask, i) ? element(vector, next++) : field->rank == 0 ? field->base : element(field, i);
    memcpy(result->base + i * vector->length, from, vector->length);
  }
}

INLINE void shift_vector(Desc *result, const Desc *x, int64_t shift, const Desc *boundary, bool circular) {
  like(result, x, 1);
  int64_t n = x->dim[0].extent;
  result->dim[0] = (Dim){1, n, 0};
  allocate(result);
  for (int64_t i = 0; i < n; ++i) {
    int64_t from = i + shift;
    char *to = result->base + i * x->length;
    if (circular) from = (from % n + n) % n;
    if (from >= 0 && from < n) memcpy(to, x->base + from * x->dim[0].stride, x->length);
    else if (boundary != NULL) memcpy(to, boundary->base, x->length);
    else memset(to, 0, x->length);
  }
}

FLANG void _FortranACshiftVector(Desc *result, const Desc *x, int64_t shift, const char *file, int line) {
  shift_vector(result, x, shift, NULL, true);
}

FLANG void _FortranAEoshiftVector(
    Desc *result, const Desc *x, int64_t shift, const Desc *boundary, const char *file, int line) {
  shift_vector(result, x, shift, boundary, false);
}

INLINE void shift_along(
    Desc *result, const Desc *x, const Desc *shift, const Desc *boundary, int dim, bool circular) {
  like(result, x, x->rank);
  EACH_DIM(x->rank, result->dim[k] = (Dim){1, x->dim[k].extent, 0});
  allocate(result);
  int along = dim - 1;
  int64_t n = elements(x), extent = x->dim[along].extent, inside = 1;
  for (int k = 0; k < along; ++k) inside *= x->dim[k].extent;
  for (int64_t i = 0; i < n; ++i) {
    int64_t other = i % inside + inside * (i / (inside * extent)), place = i / inside % extent;
    int64_t from = place + (shift->rank == 0 ? integer(shift, 0) : integer(shift, other));
    char *to = result->base + i * x->length;
    if (circular) from = (from % extent + extent) % extent;
    if (from >= 0 && from < extent) memcpy(to, element(x, i + (from - place) * inside), x->length);
    else if (boundary != NULL) memcpy(to, boundary->rank == 0 ? boundary->base : element(boundary, other), x->length);
    else memset(to, 0, x->length);
  }
}

FLANG void _FortranACshift(Desc *result, const Desc *x, const Desc *shift, int dim, const char *file, int line) {
  shift_along(result, x, shift, NULL, dim, true);
}

FLANG void _FortranAEoshift(
    Desc *result, const Desc *x, const Desc *shift, const Desc *boundary, int dim, const char *file, int line) {
  shift_along(result, x, shift, boundary, dim, false);
}

// --- parts of numbers -----------------------------------------------------------------------------------------------

extern "C" double _FortranAScale8(double x, int64_t by) {
  return __builtin_ldexp(x, by > 5000 ? 5000 : by < -5000 ? -5000 : (int)by);
}

extern "C" float _FortranAScale4(float x, int64_t by) {
  return __builtin_ldexpf(x, by > 5000 ? 5000 : by < -5000 ? -5000 : (int)by);
}

extern "C" double _FortranAFraction8(double x) {
  int exponent;
  return __builtin_frexp(x, &exponent);
}

extern "C" float _FortranAFraction4(float x) {
  int exponent;
  return __builtin_frexpf(x, &exponent);
}

// A complex number to an integer power, by squaring.
#define POWER(T, name, Int)                                                              \
  extern "C" T _Complex name(T _Complex x, Int n) {                                      \
    T _Complex found = 1;                                                                \
    for (uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n; left != 0; left >>= 1) {    \
      if (left & 1) found *= x;                                                          \
      x *= x;                                                                            \
    }                                                                                    \
    return n < 0 ? (T)1 / found : found;                                                 \
  }

POWER(double, _FortranAzpowi, int)
POWER(double, _FortranAzpowk, int64_t)
POWER(float, _FortranAcpowi, int)
POWER(float, _FortranAcpowk, int64_t)

// --- derived types of the program -----------------------------------------------------------------------------------

// What a program's types need, one function for each, is written behind this line. A part that is allocatable is given
// with what its descriptor is known to say: its rank and the type of its elements.

// The type of the elements of a part, which has an addendum where it is derived.
INLINE const Type *type_of_part(const Desc *d, int rank, const Type *inner) {
  return inner != NULL ? ((const Addendum *)&d->dim[rank])->type : NULL;
}

// What is done with one element of a part: with numbers, of a type that is known, and of one that others extend.
struct Plain {
  INLINE void initialise(char *at, const Type *type) {}
  INLINE void destroy(char *at, const Type *type) {}
  INLINE void copy(char *to, const char *from, size_t length, const Type *type) { memcpy(to, from, length); }
};

struct Dynamic {
  INLINE void initialise(char *at, const Type *type) { initialise_any(at, type); }
  INLINE void destroy(char *at, const Type *type) { destroy_any(at, type); }
  INLINE void copy(char *to, const char *from, size_t length, const Type *type) { copy_any(to, from, length, type); }
};

template <typename Elements> INLINE void drop_part(char *at, int rank, const Type *inner) {
  Desc *d = (Desc *)at;
  if (d->base == NULL) return;
  int64_t n = elements(d, rank), length = d->length;
  const Type *type = type_of_part(d, rank, inner);
  if (inner != NULL) {
    for (int64_t i = 0; i < n; ++i) Elements::destroy(d->base + i * length, type);
  }
  free(d->base);
  d->base = NULL;
}

extern "C" void __enzyme_double(const void *, int64_t);
extern "C" void __enzyme_float(const void *, int64_t);

// A program may copy a part and never look at its numbers.
INLINE void numbers(const char *at, int64_t bytes, int code) {
  if (code == 28 || code == 35) __enzyme_double(at, bytes);
  if (code == 27 || code == 34) __enzyme_float(at, bytes);
}

// ``known``: the length of an element, 0 where it is not; ``other``: a type that extends ``inner`` may be there.
template <typename Elements>
INLINE void copy_part(char *to, const char *from, int64_t known, int rank, int code, const Type *inner, bool other) {
  Desc *a = (Desc *)to;
  const Desc *b = (const Desc *)from;
  if (b->base == NULL) {
    drop_part<Elements>(to, rank, inner);
    return;
  }
  const Type *type = type_of_part(b, rank, inner), *old_type = type_of_part(a, rank, inner);
  if (inner != NULL && !other && type != inner)
    fail("Fortran: a component of a type that extends another, which is not in this program\n");
  int64_t length = other || known == 0 ? b->length : known, n = elements(b, rank), old_count = 0, old_length = length;
  char *old = NULL;
  numbers(b->base, n * length, code);
  if (a->base == NULL || !same_shape(a, b, rank) || (other && type != old_type) || (known == 0 && a->length != length)) {
    old = a->base;
    if (old != NULL) old_count = elements(a, rank);
    if (other) old_length = a->length;
    a->length = length;
    EACH_DIM(rank, {
      a->dim[k].lower = b->dim[k].lower;
      a->dim[k].extent = b->dim[k].extent;
      a->dim[k].stride = b->dim[k].stride;  // what is allocated has no gaps
    });
    if (other) ((Addendum *)&a->dim[rank])->type = type;
    a->base = block(n * length);
    if (inner != NULL) {
      for (int64_t i = 0; i < n; ++i) Elements::initialise(a->base + i * length, type);
    }
  }
  if (inner == NULL) {
    memmove(a->base, b->base, n * length);
  } else {
    for (int64_t i = 0; i < n; ++i) Elements::copy(a->base + i * length, b->base + i * length, length, type);
  }
  if (old != NULL) {
    if (inner != NULL) {
      for (int64_t i = 0; i < old_count; ++i) Elements::destroy(old + i * old_length, old_type);
    }
    free(old);
  }
}

// --- types ----------------------------------------------------------------------------------------------------------

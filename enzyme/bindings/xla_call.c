// Calls of native functions from XLA, whose runtime hands over buffers: see enzyme/bindings/jax.py.
//
// A call has two attributes. "key" names the native function. "slots" has four numbers for each of its parameters: how
// it is filled (the codes of enzyme/bindings/operation.py), the integer or which operand or result it is, the operand
// that is copied, and the bytes. Native functions take the address of a record that holds their arguments, 16 bytes
// each.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "xla/ffi/api/c_api.h"

enum { INTEGER, OPERAND, ZEROS, COPY, RESULT, STARTED };
enum { SLOT = 16, FIELDS = 4, ALIGNED = 64 };

typedef void function(void *record);
struct entry {
  int64_t key;
  function *call;
  struct entry *next;
};
static struct entry *entries;

// Python calls this under its lock; XLA's threads only read, and entries are never taken out.
void enzyme_xla_register(int64_t key, function *call) {
  for (struct entry *each = entries; each; each = each->next)
    if (each->key == key) {
      __atomic_store_n(&each->call, call, __ATOMIC_RELEASE);
      return;
    }
  struct entry *made = malloc(sizeof *made);
  if (!made) abort();
  made->key = key, made->call = call, made->next = entries;
  __atomic_store_n(&entries, made, __ATOMIC_RELEASE);
}

static function *registered(int64_t key) {
  for (struct entry *each = __atomic_load_n(&entries, __ATOMIC_ACQUIRE); each; each = each->next)
    if (each->key == key) return __atomic_load_n(&each->call, __ATOMIC_ACQUIRE);
  return NULL;
}

static XLA_FFI_Error *refuse(const XLA_FFI_CallFrame *frame, XLA_FFI_Error_Code code, const char *message) {
  XLA_FFI_Error_Create_Args args = {sizeof args, NULL, message, code};
  return frame->api->XLA_FFI_Error_Create(&args);
}

static const void *attribute(const XLA_FFI_CallFrame *frame, const char *name, XLA_FFI_AttrType type) {
  for (int64_t i = 0; i < frame->attrs.size; i++) {
    const XLA_FFI_ByteSpan *span = frame->attrs.names[i];
    if (frame->attrs.types[i] == type && span->len == strlen(name) && !memcmp(span->ptr, name, span->len))
      return frame->attrs.attrs[i];
  }
  return NULL;
}

static void *buffer(void *place) { return ((XLA_FFI_Buffer *)place)->data; }

XLA_FFI_Error *enzyme_xla_call(XLA_FFI_CallFrame *frame) {
  // XLA asks what a handler is before it is called.
  XLA_FFI_Extension_Base *asked = frame->extension_start;
  if (asked && asked->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata *metadata = ((XLA_FFI_Metadata_Extension *)asked)->metadata;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    return NULL;
  }
  const XLA_FFI_Scalar *key = attribute(frame, "key", XLA_FFI_AttrType_SCALAR);
  const XLA_FFI_Array *slots = attribute(frame, "slots", XLA_FFI_AttrType_ARRAY);
  if (!key || !slots || key->dtype != XLA_FFI_DataType_S64 || slots->dtype != XLA_FFI_DataType_S64)
    return refuse(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, "enzyme: a call without its attributes");
  function *call = registered(*(const int64_t *)key->value);
  if (!call)
    return refuse(frame, XLA_FFI_Error_Code_FAILED_PRECONDITION,
                  "enzyme: the compiled function is not in this process. A computation that was compiled or exported "
                  "elsewhere needs the same program compiled, and the same operation called, here first");

  const int64_t *slot = slots->data, count = (int64_t)slots->size / FIELDS;
  size_t record_bytes = (size_t)(count ? count : 1) * SLOT, bytes = (record_bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
  for (int64_t i = 0; i < count; i++) {
    int64_t code = slot[i * FIELDS];
    int64_t most = code == RESULT || code == STARTED ? frame->rets.size : frame->args.size;
    if (((code == OPERAND || code == RESULT || code == STARTED) && slot[i * FIELDS + 1] >= most) ||
        ((code == COPY || code == STARTED) && slot[i * FIELDS + 2] >= frame->args.size))
      return refuse(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, "enzyme: a call with too few operands");
    if (code == ZEROS || code == COPY) bytes += ((size_t)slot[i * FIELDS + 3] + ALIGNED - 1) / ALIGNED * ALIGNED;
  }
  char *memory = aligned_alloc(ALIGNED, bytes);
  if (!memory) return refuse(frame, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "enzyme: no memory for copies of arguments");
  char *free_part = memory + (record_bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
  for (int64_t i = 0; i < count; i++, slot += FIELDS) {
    void *place = memory + i * SLOT, *filled = NULL;
    size_t size = (size_t)slot[3];
    switch (slot[0]) {
    case INTEGER: memcpy(place, &slot[1], sizeof slot[1]); continue;
    case OPERAND: filled = buffer(frame->args.args[slot[1]]); break;
    case RESULT:
    case STARTED: filled = buffer(frame->rets.rets[slot[1]]); break;
    default:
      filled = free_part;
      free_part += (size + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
    if ((slot[0] == ZEROS || slot[0] == RESULT) && size) memset(filled, 0, size);
    if ((slot[0] == COPY || slot[0] == STARTED) && size) memmove(filled, buffer(frame->args.args[slot[2]]), size);
    memcpy(place, &filled, sizeof filled);
  }
  call(memory);
  free(memory);
  return NULL;
}

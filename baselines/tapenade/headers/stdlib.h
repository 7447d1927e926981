/* What the objectives take from the C library's memory. */
typedef unsigned long size_t;
void *malloc(size_t size);
void free(void *memory);

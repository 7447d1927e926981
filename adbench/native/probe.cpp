/* Whether a tool's headers compile, and what version they say they are. */
#include "overload.hpp"

extern "C" const char *adbench_tool_version(void) { return TOOL_VERSION; }

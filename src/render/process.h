/* Child processes: runs one of the programs that films and plots need. No shell sees the
 * arguments. */
#ifndef RENDER_PROCESS_H
#define RENDER_PROCESS_H

#include "base/context.h"

/* Starts arguments[0], found along PATH, and waits for it; the list ends with NULL. Its output is
 * thrown away; the last line of its complaints becomes the message when it fails. `package` is what
 * to install when the program is missing. */
PlimStatus process_run(PlimContext *context, const char *const *arguments, const char *package);

#endif

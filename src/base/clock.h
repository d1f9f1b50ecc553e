/* Wall time for phase timers and progress. Never an input to the simulation. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds since an arbitrary moment; never runs backwards. */
double clock_seconds(void);

#endif

/* Calls functions of which glibc has variants for several processors. */
#include <math.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    static char from[4096], to[4096];
    double sum = 0;
    memset(from, 'a', sizeof from - 1);
    for (int i = 0; i < 100; i++) {
        memcpy(to, from, 2000 + i);
        memmove(to + i, from, 3000);
        sum += memcmp(to, from, 1000 + i) + strlen(to) + strcmp(to, from);
        sum += sin(i) + exp(i / 100.0) + pow(i, 1.5);
    }
    printf("%g\n", sum);
    return 0;
}

/* Compiled with -O2, with -O3, and with -O2 -DEDITED, for comparisons of instructions. */
#include <stdio.h>
#include <stdlib.h>

static int table[64];

__attribute__((noinline)) static void fill(int seed)
{
    for (int i = 0; i < 64; i++)
        table[i] = (seed = seed * 1103515245 + 12345) & 0xff;
}

__attribute__((noinline)) static int largest(const int *values, int count)
{
    int best = values[0];
    for (int i = 1; i < count; i++)
        if (values[i] > best)
            best = values[i];
    return best;
}

__attribute__((noinline)) static int weighted(const int *values, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++) {
        if (values[i] & 1)
            sum += values[i] * i;
        else
            sum -= abs(values[i]);
#ifdef EDITED
        if (sum > 100000)
            sum /= 3;
#endif
    }
    return sum;
}

int main(void)
{
    int total = 0;
    for (int round = 0; round < 50; round++) {
        fill(round);
        total += largest(table, 64) + weighted(table, 40 + round % 8);
    }
    return total == 42 ? puts("42"), 1 : 0;
}

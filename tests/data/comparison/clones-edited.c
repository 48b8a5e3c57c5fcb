/* Two lines more on top: */
#include <stdlib.h>
/* A program of which gcc makes other clones at -O2 and at -O3. */
#include <stdio.h>

#define SIZE 400

static int values[SIZE];

static __attribute__((noinline)) int count(const int *data, int size, int step, int limit) {
    int found = 0;
    for (int i = 0; i < size; i += step)
        for (int j = 0; j < 5; j++)
            found += data[i] > limit + j;
    return found;
}

static __attribute__((noinline)) void fill(int *data, int size, int seed) {
    for (int i = 0; i < size; i++)
        data[i] = (seed = seed * 1103515245 + 12345) >> 16 ^ seed >> 3;
}

int main(void) {
    int found = 0;
    fill(values, SIZE, 7);
    for (int round = 0; round < 42; round++) {
        found += count(values, SIZE, 1, 100);
        values[round] ^= found;
        found += count(values, SIZE, 2, 100);
        values[round + 1] ^= found;
    }
    printf("%d\n", found);
    return 0;
}

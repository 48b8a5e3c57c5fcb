#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>

static inline __attribute__((always_inline)) uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    return x ^ (x >> 29);
}

__attribute__((noinline)) uint64_t hash_words(uint64_t seed, int rounds)
{
    for (int i = 0; i < rounds; i++)
        seed = mix(seed + i);
    return seed;
}

__attribute__((noinline)) int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) void sort_numbers(int count)
{
    int *numbers = malloc(count * sizeof *numbers);
    for (int i = 0; i < count; i++)
        numbers[i] = (int)(mix(i) & 0xffffff);
    qsort(numbers, count, sizeof *numbers, compare);
    free(numbers);
}

static void *worker(void *argument)
{
    for (int i = 0; i < 20; i++) {
        sort_numbers(20000);
        *(uint64_t *)argument += hash_words(i, 1000000);
    }
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    uint64_t sums[3] = {0};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, &sums[i]);
    sums[2] = fibonacci(34);
    worker(&sums[2]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return (int)(sums[0] ^ sums[1] ^ sums[2]) & 1;
}

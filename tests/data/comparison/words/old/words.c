#include <stdio.h>
#include "scale.h"

static int weigh(const char *word)
{
    int sum = 0;
    for (; *word; word++)
        sum += *word;
    return sum;
}

static int check(int value)
{
    return value % 7;
}

int main(void)
{
    const char *words[] = {"alpha", "beta", "gamma", "delta"};
    int total = 0;
    printf("start\n");
    for (int round = 0; round < 50; round++)
        for (int i = 0; i < 4; i++) {
            total += weigh(words[i]);
            total += check(total);
            total = scaled(total) % 1000;
        }
    printf("%d\n", total);
    return 0;
}

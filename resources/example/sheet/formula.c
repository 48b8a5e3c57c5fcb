#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sheet.h"

static void skip_blanks(const char **at)
{
    while (isspace((unsigned char)**at))
        (*at)++;
}

/* The sum of a range of cells, such as SUM(A1:A9). */
static double range_sum(const char **at)
{
    char column = (*at)[0], name[8] = { column };
    int first = (int)strtol(*at + 1, (char **)at, 10), last;
    double sum = 0;
    *at += 2;                       /* the colon and the column */
    last = (int)strtol(*at, (char **)at, 10);
    for (int row = first; row <= last; row++) {
        name[1] = (char)('0' + row / 10);
        name[2] = (char)('0' + row % 10);
        sum += cell_value(cell_named(name));
    }
    (*at)++;                        /* the parenthesis */
    return sum;
}

/* A number, a cell, a range or what stands in parentheses. */
static double factor(const char **at)
{
    double value;
    skip_blanks(at);
    if (**at == '(') {
        (*at)++;
        value = expression(at);
        skip_blanks(at);
        (*at)++;
    } else if (strncmp(*at, "SUM(", 4) == 0) {
        *at += 4;
        value = range_sum(at);
    } else if (isalpha((unsigned char)**at)) {
        value = cell_value(cell_named(*at));
        while (isalnum((unsigned char)**at))
            (*at)++;
    } else {
        value = strtod(*at, (char **)at);
    }
    skip_blanks(at);
    return value;
}

static double term(const char **at)
{
    double value = factor(at);
    while (**at == '*' || **at == '/') {
        char operation = *(*at)++;
        double other = factor(at);
        if (operation == '*')
            value *= other;
        else
            value = fabs(other) > 1e-9 ? value / other : 0;
    }
    return value;
}

double expression(const char **at)
{
    double value = term(at);
    while (**at == '+' || **at == '-') {
        char operation = *(*at)++;
        double other = term(at);
        value = operation == '+' ? value + other : value - other;
    }
    return value;
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sheet.h"

struct row {
    char name[8];
    double total;
};

static void fill(void)
{
    char name[8], text[48];
    for (int row = 10; row < 10 + ROWS; row++) {
        snprintf(name, sizeof name, "A%d", row);
        snprintf(text, sizeof text, "%d.%d", row * 37 % 101, row % 10);
        set_cell(name, text);
        snprintf(name, sizeof name, "B%d", row);
        snprintf(text, sizeof text, "A%d * 1.19 + (A10 - 3) / 2", row);
        set_cell(name, text);
        snprintf(name, sizeof name, "C%d", row);
        snprintf(text, sizeof text, row > 10 ? "C%d + B%d" : "B10", row - 1, row);
        set_cell(name, text);
        snprintf(name, sizeof name, "D%d", row);
        snprintf(text, sizeof text, "SUM(C10:C%d) / %d", row, row - 9);
        set_cell(name, text);
    }
}

static int by_total(const void *one, const void *other)
{
    double a = ((const struct row *)one)->total, b = ((const struct row *)other)->total;
    return (a < b) - (a > b);
}

static void sort_rows(struct row *rows)
{
    for (int i = 0; i < ROWS; i++) {
        snprintf(rows[i].name, sizeof rows[i].name, "D%d", i + 10);
        rows[i].total = cell_value(cell_named(rows[i].name));
    }
    qsort(rows, ROWS, sizeof *rows, by_total);
}

static void print_rows(const struct row *rows)
{
    for (int i = 0; i < ROWS; i++) {
        printf("%-4s %10.2f ", rows[i].name, rows[i].total);
        for (int dots = (int)(rows[i].total / 100); dots > 0; dots--)
            putchar('.');
        putchar('\n');
    }
}

int main(void)
{
    struct row rows[ROWS];
    fill();
    for (int year = 0; year < 25; year++) {
        char text[16];
        snprintf(text, sizeof text, "%d", year);
        set_cell("A10", text);
        forget_values();
        sort_rows(rows);
    }
    print_rows(rows);
    return 0;
}

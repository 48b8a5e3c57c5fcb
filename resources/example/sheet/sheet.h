/* A small spreadsheet: cells hold numbers or formulas of other cells. */
#ifndef SHEET_H
#define SHEET_H

enum { COLUMNS = 6, ROWS = 40 };

struct cell {
    char text[48];    /* what was typed: a number, or a formula such as A1 + 2 * B3 */
    double value;
    int is_known;     /* whether value is that of text */
};

struct cell *cell_named(const char *name);
void set_cell(const char *name, const char *text);
double cell_value(struct cell *cell);
void forget_values(void);
double expression(const char **at);

#endif

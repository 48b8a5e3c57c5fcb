"""What all models share: table, columns, cells and indexes."""

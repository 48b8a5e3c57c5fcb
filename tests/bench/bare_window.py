"""A bare PySide6 program, to compare starts with: one window with a table, saved if asked to.

python tests/bench/bare_window.py [PICTURE]
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QTimer
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QMainWindow, QTableView

application = QApplication([])
model = QStandardItemModel(40, 4)
for row in range(model.rowCount()):
    for column in range(model.columnCount()):
        model.setItem(row, column, QStandardItem(f"cell {row} {column}"))
window = QMainWindow()
table = QTableView()
table.setModel(model)
window.setCentralWidget(table)
window.resize(1280, 800)
window.show()


def save(path: str) -> None:
    """Save a picture of the window, and quit."""
    window.grab().save(path, "PNG")
    application.quit()


if len(sys.argv) > 1:
    QTimer.singleShot(0, lambda: save(sys.argv[1]))
application.exec()

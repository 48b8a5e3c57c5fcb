"""What is shown, as immutable descriptions without Qt: tables, pictures and pages of figures."""

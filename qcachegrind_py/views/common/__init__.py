"""What several views share: base class, tables, bars, menus, picture frame."""

package io.stoker.dispatcher.service.postgres;

/**
 * A transaction went by rows that are not what this replica wrote last. It has changed nothing;
 * done again, it reads them.
 */
final class RowsChanged extends IllegalStateException {
  private static final long serialVersionUID = 1;

  RowsChanged() {
    super("rows were written by somebody else meanwhile");
  }
}

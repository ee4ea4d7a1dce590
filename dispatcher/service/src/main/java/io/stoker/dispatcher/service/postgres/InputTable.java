package io.stoker.dispatcher.service.postgres;

import io.stoker.dispatcher.model.InputRow;
import java.util.List;

/** What jobs depend on. The rows go with their jobs. */
final class InputTable {
  private static final Batch<InputRow> ROWS =
      new Batch<InputRow>("input")
          .key("depends_on", "text", InputRow::dependsOn)
          .key("job", "text", InputRow::job);

  private InputTable() {}

  static Write insert(List<InputRow> rows) {
    return ROWS.insert(rows, "do nothing");
  }
}

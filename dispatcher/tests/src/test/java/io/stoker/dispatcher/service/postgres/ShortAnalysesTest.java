package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;

/** One column of the usual target makes Postgres sample its whole table ten times as much. */
@QuarkusTest
@OnRealServices
class ShortAnalysesTest {
  private static final String LOOKED_AT_CLOSELY =
      """
      select distinct t.relname || '.' || a.attname
      from pg_class t
      left join pg_index i on i.indrelid = t.oid and i.indexprs is not null
      join pg_attribute a on a.attrelid = t.oid
        or (a.attrelid = i.indexrelid and i.indkey[a.attnum - 1] = 0)
      where t.relnamespace = current_schema()::regnamespace
        and t.relname in ('request', 'job', 'ready', 'attempt')
        and a.attnum > 0 and not a.attisdropped
        and coalesce(a.attstattarget, -1) not between 0 and 10
      """;

  @Test
  void hotTables_areSampledRoughly_inEachColumn() throws SQLException {
    Config config = ConfigProvider.getConfig();
    List<String> found = new ArrayList<>();
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:" + config.getValue("stoker.postgres.url", String.class),
                config.getValue("stoker.postgres.user", String.class),
                config.getValue("stoker.postgres.password", String.class));
        ResultSet rows = connection.createStatement().executeQuery(LOOKED_AT_CLOSELY)) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    assertThat(found).as("set statistics 10 for what a migration adds").isEmpty();
  }
}

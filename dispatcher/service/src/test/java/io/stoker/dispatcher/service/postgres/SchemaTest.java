package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.pgclient.PgException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchemaTest {
  private static final Schema SCHEMA = Schema.ofThisBuild();

  private static Collection<String> columns() {
    return SCHEMA.tables().stream().map(table -> table + ".id").toList();
  }

  @Test
  void ofThisBuild_readsTheMigrations() {
    assertThat(SCHEMA.versions()).startsWith("1", "2.1").contains("2.91");
    assertThat(SCHEMA.tables()).contains("request", "job", "attempt", "fleet", "experiment");
    assertThat(SCHEMA.version()).isEqualTo(SCHEMA.versions().getLast());
  }

  @Test
  void problem_isNone_whereAllIsThereOrMore() {
    List<String> later = new ArrayList<>(SCHEMA.versions());
    later.add("99.1");
    assertThat(SCHEMA.problem(Optional.of(SCHEMA.versions()), columns())).isEmpty();
    assertThat(SCHEMA.problem(Optional.of(later), columns())).isEmpty();
    assertThat(SCHEMA.problem(Optional.empty(), columns())).as("versions unread").isEmpty();
    assertThat(Schema.newest(later)).contains("99.1");
  }

  @Test
  void problem_namesVersionsAndWhatToDo_whereMigrationsAreMissing() {
    assertThat(SCHEMA.problem(Optional.of(List.of("1", "2.1")), columns()).orElseThrow())
        .contains("at version 2.1", "needs " + SCHEMA.version(), "stoker migrate");
    assertThat(SCHEMA.problem(Optional.of(List.of()), columns()).orElseThrow()).contains("empty");
  }

  @Test
  void problem_namesTables_thatAreAwayOrMayNotBeUsed() {
    List<String> withoutJob = columns().stream().filter(one -> !one.startsWith("job.")).toList();
    assertThat(SCHEMA.problem(Optional.of(SCHEMA.versions()), withoutJob).orElseThrow())
        .contains("[job]");
  }

  @ParameterizedTest
  @CsvSource({
    "42P01, stoker migrate",
    "28P01, stoker.postgres.user",
    "3D000, stoker.postgres.url",
  })
  void problem_saysWhatToDo_whereTheDatabaseCannotBeAsked(String state, String todo) {
    assertThat(Schema.problem(new PgException("said", "ERROR", state, null)).orElseThrow())
        .contains(todo, "said");
  }

  @Test
  void problem_isNone_whereTheDatabaseIsAway() {
    assertThat(Schema.problem(new ConnectException("refused"))).isEmpty();
  }
}

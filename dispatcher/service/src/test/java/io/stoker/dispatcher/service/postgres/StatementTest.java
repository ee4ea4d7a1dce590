package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatementTest {
  @Test
  void namesBecomePlaces() {
    Statement statement =
        Statement.of("select :a, cast(:keys as text[]) from t where x = :a and y = :a_b");
    assertThat(statement.sql())
        .isEqualTo("select $1, cast($2 as text[]) from t where x = $1 and y = $3");
    assertThat(statement.names()).containsExactly("a", "keys", "a_b");
  }

  @Test
  void textsAndCastsStayAsTheyAre() {
    String sql = "select ':a', 'it''s :b', x::text, '$' from t";
    assertThat(Statement.of(sql)).isEqualTo(new Statement(sql, List.of()));
  }

  @Test
  void valuesComeInOrder() {
    Statement statement = Statement.of("select :b, :a, :b");
    assertThat(statement.values(Map.of("a", 1, "b", "two"))).containsExactly("two", 1);
  }

  @Test
  void eachParameterIsGivenAndWanted() {
    Statement statement = Statement.of("select :a");
    assertThatThrownBy(() -> statement.values(Map.of("b", 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(":a");
    assertThatThrownBy(() -> statement.values(Map.of("a", 1, "b", 2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("b");
  }
}

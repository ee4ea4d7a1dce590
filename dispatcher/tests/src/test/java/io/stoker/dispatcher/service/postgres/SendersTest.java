package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.postgres.Senders.Sent;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who may change a group is asked with each change of it, and with each look at it. */
@QuarkusTest
@OnRealServices
class SendersTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int REQUESTS = 5_000;

  @Inject Database database;

  private final String group = "sent-" + UUID.randomUUID();

  /** Of three senders, one of them unknown, to two queues. */
  @BeforeEach
  void insert() {
    String sql =
        """
        insert into request (id, seq, version, spec, queue, grp, sent_by)
        select cast(:grp as text) || n, n, 1, '{}', case when n % 2 = 0 then 'even' else 'odd' end, cast(:grp as text),
          case n % 3 when 0 then 'ann' when 1 then 'bea' end
        from generate_series(1, :most) n
        """;
    in(
        session ->
            Queries.execute(session, sql, Map.of("grp", group + "!", "most", 1))
                .chain(
                    () -> Queries.execute(session, sql, Map.of("grp", group, "most", REQUESTS))));
  }

  @AfterEach
  void remove() {
    in(
        session ->
            Queries.execute(
                session,
                "delete from request where grp like cast(:grp as text) || '%'",
                Map.of("grp", group)));
  }

  private <T> T in(Function<StatelessSession, Uni<T>> work) {
    return database.transaction(work).await().atMost(SOON);
  }

  @Test
  void ofALargeGroup_areFoundByAFewOfItsRequests() {
    long looked =
        in(
            session ->
                RowsRead.of(session, "request")
                    .chain(
                        before ->
                            Senders.ofGroup(session, group)
                                .invoke(
                                    sent ->
                                        assertThat(sent)
                                            .containsExactlyInAnyOrderElementsOf(
                                                List.of(
                                                    new Sent(Optional.of("ann"), "even"),
                                                    new Sent(Optional.of("ann"), "odd"),
                                                    new Sent(Optional.of("bea"), "even"),
                                                    new Sent(Optional.of("bea"), "odd"),
                                                    new Sent(Optional.empty(), "even"),
                                                    new Sent(Optional.empty(), "odd"))))
                                .chain(() -> RowsRead.of(session, "request"))
                                .map(after -> after - before)));

    assertThat(looked).isLessThan(100);
  }

  @Test
  void ofAGroupThatNobodyKnows_areNone() {
    List<Sent> sent = in(session -> Senders.ofGroup(session, group + "?"));

    assertThat(sent).isEmpty();
  }
}

package io.stoker.dispatcher.service.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.runtime.Fault;
import io.vertx.core.VertxException;
import io.vertx.pgclient.PgException;
import java.net.ConnectException;
import java.sql.SQLException;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Which errors speak of the input, and which of what it met. */
class FaultsTest {
  @ParameterizedTest
  @CsvSource({
    "08006, OUTAGE",
    "40001, OUTAGE",
    "40P01, OUTAGE",
    "25P03, OUTAGE",
    "53300, OUTAGE",
    "53100, OUTAGE",
    "55P03, OUTAGE",
    "57014, OUTAGE",
    "57P01, OUTAGE",
    "58030, OUTAGE",
    "XX000, OUTAGE",
    "42P01, NOT_READY",
    "3D000, NOT_READY",
    "3F000, NOT_READY",
    "28P01, NOT_READY",
    "0A000, NOT_READY",
    "21000, DATA",
    "22P02, DATA",
    "23505, DATA",
    "54000, DATA",
  })
  void anSqlStateTells(String state, Fault fault) {
    PgException ofDriver = new PgException("said", "ERROR", state, null);
    assertThat(Faults.of(ofDriver)).isEqualTo(fault);
    assertThat(Faults.of(new CompletionException(new RuntimeException(ofDriver)))).isEqualTo(fault);
    assertThat(Faults.of(new RuntimeException(new SQLException("said", state)))).isEqualTo(fault);
    assertThat(Faults.of(new IllegalStateException(ofDriver))).isEqualTo(fault);
  }

  @ParameterizedTest
  @MethodSource
  void ofTheInputsOwnMaking(Throwable error) {
    assertThat(Faults.of(error)).isEqualTo(Fault.DATA);
    assertThat(Faults.of(new CompletionException(error))).isEqualTo(Fault.DATA);
  }

  static Stream<Throwable> ofTheInputsOwnMaking() {
    return Stream.of(
        new IllegalStateException("stored JSON cannot be read"),
        new IllegalArgumentException("no enum constant"),
        new NullPointerException(),
        new ClassCastException(),
        new ArrayIndexOutOfBoundsException(7),
        new NoSuchElementException(),
        new ArithmeticException("integer overflow"),
        new RecordTooLargeException("1048600 bytes"));
  }

  @ParameterizedTest
  @MethodSource
  void thatPasses(Throwable error) {
    assertThat(Faults.of(error)).isEqualTo(Fault.OUTAGE);
  }

  static Stream<Throwable> thatPasses() {
    return Stream.of(
        new ConnectException("refused"),
        new TimeoutException(),
        new VertxException("Connection was closed"),
        new IllegalStateException("Pool closed"),
        new org.apache.kafka.common.errors.TimeoutException("120000 ms has passed"),
        new RuntimeException("nobody knows"));
  }
}

package io.stoker.dispatcher.service.runtime;

import io.stoker.dispatcher.runtime.Fault;
import io.vertx.pgclient.PgException;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;

/** Reads the errors of the drivers of Postgres and Kafka: the one place that knows their types. */
public final class Faults {
  private static final List<Class<? extends Throwable>> REFUSED_BY_KAFKA =
      List.of(
          RecordTooLargeException.class,
          RecordBatchTooLargeException.class,
          SerializationException.class,
          InvalidTopicException.class,
          InvalidConfigurationException.class);

  private Faults() {}

  /** What an error says about the input that failed. */
  public static Fault of(Throwable error) {
    return sqlState(error)
        .map(Fault::ofSqlState)
        .orElseGet(() -> Fault.ofOther(error, REFUSED_BY_KAFKA));
  }

  /**
   * Whether a constraint was violated: by this input, or by another transaction that committed
   * meanwhile, whose rows are there when this one is tried again.
   */
  public static boolean violatesConstraint(Throwable error) {
    return sqlState(error).filter(state -> state.startsWith("23")).isPresent();
  }

  /**
   * Whether the database does not write (25006): it is a standby, or was made one since it was
   * connected to.
   *
   * @param error null where nothing failed
   */
  public static boolean isReadOnly(Throwable error) {
    return sqlState(error).filter("25006"::equals).isPresent();
  }

  /** As the driver says it, or Hibernate Reactive, which puts an exception of JDBC in its place. */
  public static Optional<String> sqlState(Throwable error) {
    return Fault.cause(error, PgException.class)
        .map(PgException::getSqlState)
        .or(() -> Fault.cause(error, SQLException.class).map(SQLException::getSQLState));
  }
}

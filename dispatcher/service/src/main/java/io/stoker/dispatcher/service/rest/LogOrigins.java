package io.stoker.dispatcher.service.rest;

import io.stoker.dispatcher.coordinator.host.KeyWatch;
import io.stoker.dispatcher.service.config.HostKeys;
import io.stoker.dispatcher.service.postgres.ApiQueries;
import io.stoker.dispatcher.service.postgres.Database;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import org.jboss.logging.Logger;

/** Tells of pieces of jobs' output whether they come from where the jobs are. */
@ApplicationScoped
public class LogOrigins {
  private static final Logger LOG = Logger.getLogger(LogOrigins.class);

  /** How often it is asked where attempts were placed, while the database is away. */
  private static final int MOST_TRIES = 60;

  private static final Duration AGAIN = Duration.ofMillis(500);

  private final HostKeys keys;
  private final KeyWatch known;
  private final Database database;

  LogOrigins(HostKeys keys, KeyWatch known, Database database) {
    this.keys = keys;
    this.known = known;
    this.database = database;
  }

  LogOrigin of(String job) {
    return new LogOrigin(keys, () -> placed(job));
  }

  /** Not before it is known which keys of hosts are taken. */
  private List<ApiQueries.Placed> placed(String job) throws InterruptedException {
    for (int i = 0; i < MOST_TRIES; i++) {
      try {
        return known
            .known()
            .chain(() -> database.readAside(session -> ApiQueries.placed(session, job)))
            .await()
            .atMost(Duration.ofSeconds(5));
      } catch (RuntimeException e) {
        LOG.debugf("where job %s was placed cannot be read: %s", job, e.getMessage());
        Thread.sleep(AGAIN);
      }
    }
    throw ApiException.unavailable("the database cannot be reached; try again");
  }
}

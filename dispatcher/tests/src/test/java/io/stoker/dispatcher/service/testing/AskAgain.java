package io.stoker.dispatcher.service.testing;

import io.quarkus.test.junit.callback.QuarkusTestBeforeEachCallback;
import io.quarkus.test.junit.callback.QuarkusTestMethodContext;
import io.restassured.RestAssured;
import io.restassured.filter.Filter;
import io.restassured.filter.FilterContext;
import io.restassured.response.Response;
import io.restassured.specification.FilterableRequestSpecification;
import io.restassured.specification.FilterableResponseSpecification;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Does what a dispatcher says that cannot tell in the time that a read has, a second of the
 * database's: to try again. On a busy machine that may come to any question.
 */
public final class AskAgain implements Filter {
  private static final int UNAVAILABLE = 503;
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(200);

  @Override
  public Response filter(
      FilterableRequestSpecification request,
      FilterableResponseSpecification expected,
      FilterContext context) {
    long until = System.nanoTime() + SOON.toNanos();
    Response answer = context.next(request, expected);
    while (answer.statusCode() == UNAVAILABLE
        && request.getMethod().equals("GET")
        && System.nanoTime() - until < 0) {
      LockSupport.parkNanos(PAUSE.toNanos());
      answer =
          RestAssured.given()
              .noFilters()
              .config(request.getConfig())
              .urlEncodingEnabled(false)
              .headers(request.getHeaders())
              .cookies(request.getCookies())
              .get(request.getURI());
    }
    return answer;
  }

  /** Has all tests ask so. */
  public static final class Everywhere implements QuarkusTestBeforeEachCallback {
    @Override
    public void beforeEach(QuarkusTestMethodContext context) {
      if (RestAssured.filters().stream().noneMatch(AskAgain.class::isInstance)) {
        RestAssured.filters(new AskAgain());
      }
    }
  }
}

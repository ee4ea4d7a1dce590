package io.stoker.dispatcher.service.oidc;

import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** Waits for answers of the issuer on behalf of calls. */
final class Answers {
  private Answers() {}

  /**
   * Goes on in the context of the call that waits, whichever call it was that had the issuer asked.
   */
  static <T> Uni<T> of(Future<T> answer) {
    if (answer.succeeded()) {
      return Uni.createFrom().item(answer.result());
    }
    Context call = Vertx.currentContext();
    return Uni.createFrom()
        .emitter(
            waiting ->
                answer.onComplete(
                    done ->
                        call.runOnContext(
                            here -> {
                              if (done.succeeded()) {
                                waiting.complete(done.result());
                              } else {
                                waiting.fail(done.cause());
                              }
                            })));
  }
}

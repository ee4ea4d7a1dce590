package io.stoker.dispatcher.service.page;

import io.stoker.dispatcher.service.access.SessionCookie;
import io.stoker.dispatcher.service.oidc.CodeFlow;
import io.stoker.dispatcher.service.rest.ApiError;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import java.lang.annotation.Annotation;
import java.util.Optional;
import org.jboss.resteasy.reactive.server.ServerResponseFilter;

/**
 * Has errors shown as pages to browsers, the login among them, and tells browsers what a page of
 * ours may do: run and load what is served here beside it, and nothing else.
 */
final class Html {
  /** Who does not say what they want get JSON. */
  static final String TYPE = MediaType.TEXT_HTML + ";charset=UTF-8;qs=0.5";

  /**
   * What a page shows as JSON, where the address's own JSON is only a part of that. Who takes any
   * kind of answer gets the latter.
   */
  static final String DATA = "application/vnd.stoker.page+json;qs=0.4";

  private static final String SENT = MediaType.TEXT_HTML + ";charset=UTF-8";

  private static final String OWN =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

  private static final int LOGIN = 401;
  private static final int TOO_MANY = 429;

  private final Optional<String> issuer;

  Html(CodeFlow flow) {
    issuer = flow.issuerName();
  }

  @ServerResponseFilter
  public void show(
      ContainerRequestContext call, ContainerResponseContext answer, HttpServerRequest request) {
    if (answer.getEntity() instanceof ApiError error && wantsPage(call)) {
      answer.setEntity(page(error, request), new Annotation[0], MediaType.TEXT_HTML_TYPE);
    }
    if (MediaType.TEXT_HTML_TYPE.isCompatible(answer.getMediaType())
        && !call.getUriInfo().getPath().endsWith(".html")) {
      // In place of what every answer has: by JAX-RS a second header would stand beside the first.
      MultiMap headers = request.response().headers();
      headers.set("Content-Security-Policy", OWN);
      // With none, browsers would not say that a form is sent by a page of ours.
      headers.set("Referrer-Policy", "same-origin");
      headers.set(HttpHeaders.VARY, HttpHeaders.ACCEPT);
      answer.getHeaders().putSingle(HttpHeaders.CONTENT_TYPE, SENT);
    }
  }

  /** Browsers want pages first of all. */
  private static boolean wantsPage(ContainerRequestContext call) {
    return call.getAcceptableMediaTypes().getFirst().isCompatible(MediaType.TEXT_HTML_TYPE)
        && !call.getAcceptableMediaTypes().getFirst().isWildcardType();
  }

  private String page(ApiError error, HttpServerRequest call) {
    if (error.status() != LOGIN && error.status() != TOO_MANY) {
      return Views.error(error).render();
    }
    boolean sent = SessionCookie.sent(call).isPresent();
    if (!sent && "cross-site".equals(call.getHeader("Sec-Fetch-Site"))) {
      return Views.again().render();
    }
    if (sent && error.status() == LOGIN) {
      SessionCookie.forget(call);
    }
    return Views.login(call.uri(), sent ? trouble(error) : null, issuer.orElse(null)).render();
  }

  /** To people it says nothing that a session goes as a header does. */
  private static String trouble(ApiError error) {
    return error.status() == LOGIN && HttpHeaders.AUTHORIZATION.equals(error.field())
        ? LoginForms.notTaken(error.value())
        : error.detail();
  }
}

package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.access.Login;
import io.stoker.dispatcher.service.access.SessionCookie;
import io.stoker.dispatcher.service.access.TokenBook;
import io.stoker.dispatcher.service.oidc.CodeFlow;
import io.stoker.dispatcher.service.oidc.Logins;
import io.stoker.dispatcher.service.rest.ApiError;
import io.stoker.dispatcher.service.rest.ApiException;
import io.stoker.dispatcher.service.rest.TakesAnyQuery;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.PermitAll;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.FormParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Begins the session of a browser: by a token, or by a login at the issuer. */
@PermitAll
@Path("/page")
@Produces(Html.TYPE)
public class LoginForms {
  /** Browsers leave control characters out, so what is behind one could be the second slash. */
  private static final String HERE = "/([^/\\\\\\p{Cntrl}]\\P{Cntrl}*)?";

  private final TokenBook tokens;
  private final Logins logins;
  private final CodeFlow flow;

  LoginForms(TokenBook tokens, Logins logins, CodeFlow flow) {
    this.tokens = tokens;
    this.logins = logins;
    this.flow = flow;
  }

  @POST
  @Path("/login")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  @Operation(hidden = true)
  public Uni<Response> login(
      @FormParam("token") String token, @FormParam("to") String to, HttpServerRequest call) {
    String sent = token == null ? "" : token.strip();
    String here = here(to);
    return tokens.isOpen()
        ? Uni.createFrom().item(Forms.see(here))
        : logins
            .login(sent, call.remoteAddress().hostAddress())
            .map(login -> answer(call, login, sent, here));
  }

  /** Sends a browser to the issuer. */
  @GET
  @Path("/oidc")
  @Operation(hidden = true)
  public Uni<Response> begin(@QueryParam("to") String to, HttpServerRequest call) {
    checkIssuer();
    return flow.begin(call, here(to))
        .map(Forms::see)
        .onFailure(CodeFlow::isAway)
        .transform(away -> ApiException.unavailable(away.getMessage()));
  }

  /** Takes a browser that comes back from it. */
  @GET
  @Path("/oidc/back")
  @TakesAnyQuery
  @Operation(hidden = true)
  public Uni<Response> end(
      @QueryParam("code") String code,
      @QueryParam("state") String state,
      @QueryParam("error") String error,
      HttpServerRequest call) {
    checkIssuer();
    return flow.end(call, code, state, error)
        .map(ended -> answer(call, ended.login(), ended.token(), ended.to()));
  }

  private void checkIssuer() {
    if (flow.issuerName().isEmpty()) {
      throw ApiException.noIssuer();
    }
  }

  private Response answer(HttpServerRequest call, Login login, String token, String to) {
    if (login instanceof Login.Taken) {
      SessionCookie.set(call, token);
      return Forms.see(to);
    }
    ApiError error = ApiException.refusal(login).error();
    String trouble =
        switch (login) {
          case Login.Unknown unknown -> "No such token is in force.";
          case Login.Blocked blocked ->
              "Too many wrong tokens came from here: try again in %d s."
                  .formatted(blocked.seconds());
          case Login.Flawed flawed -> notTaken(flawed.given());
          default -> error.detail();
        };
    return Response.status(error.status())
        .entity(Views.login(to, trouble, flow.issuerName().orElse(null)).render())
        .type(MediaType.TEXT_HTML_TYPE)
        .build();
  }

  static String notTaken(String given) {
    return "Not taken: " + given + ".";
  }

  /** On this dispatcher, and nowhere else. */
  static String here(String to) {
    return to != null && to.matches(HERE) ? to : "/";
  }
}

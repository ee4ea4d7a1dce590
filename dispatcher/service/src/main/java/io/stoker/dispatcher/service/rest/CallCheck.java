package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.databind.node.TextNode;
import io.vertx.core.http.HttpServerRequest;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.HttpHeaders;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;

/** Refuses calls that ask for what is not there, before anything is done for them. */
final class CallCheck {
  private static final Set<String> READING =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

  private final Map<Method, CallRules> rules = new ConcurrentHashMap<>();
  private final OwnPages pages;

  CallCheck(@ConfigProperty(name = "quarkus.http.cors.origins") Optional<List<String>> friends) {
    pages = new OwnPages(friends.orElse(List.of()));
  }

  @ServerRequestFilter
  public void check(
      ContainerRequestContext call, ResourceInfo resource, HttpServerRequest request) {
    pages
        .refusal(READING.contains(call.getMethod()), NameCheck.host(request), call::getHeaderString)
        .ifPresent(
            foreign -> {
              throw ApiException.foreignPage(foreign.header(), foreign.value());
            });
    CallRules of = rules.computeIfAbsent(resource.getResourceMethod(), CallRules::of);
    of.checkQuery(call.getUriInfo().getQueryParameters());
    checkText(call.getUriInfo().getQueryParameters());
    checkText(call.getUriInfo().getPathParameters());
    if (hasBody(call)) {
      of.checkType(Optional.ofNullable(call.getHeaderString(HttpHeaders.CONTENT_TYPE)).orElse(""));
    }
  }

  /** The database takes no NUL, and nothing has it that could be found. */
  private static void checkText(Map<String, List<String>> parameters) {
    parameters.forEach(
        (name, values) ->
            values.forEach(value -> Bodies.requireStorable(TextNode.valueOf(value), name)));
  }

  private static boolean hasBody(ContainerRequestContext call) {
    String length = call.getHeaderString(HttpHeaders.CONTENT_LENGTH);
    return length == null ? call.getHeaderString("Transfer-Encoding") != null : !"0".equals(length);
  }
}

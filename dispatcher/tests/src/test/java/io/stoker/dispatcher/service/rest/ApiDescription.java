package io.stoker.dispatcher.service.rest;

import io.quarkus.smallrye.openapi.OpenApiFilter;
import io.quarkus.smallrye.openapi.OpenApiFilter.RunStage;
import jakarta.ws.rs.core.Response.Status;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;
import org.eclipse.microprofile.openapi.models.security.SecurityRequirement;
import org.eclipse.microprofile.openapi.models.security.SecurityScheme.Type;

/**
 * Completes the description of this interface while it is built: messages are described by their
 * own schemas, errors by theirs, each call has the errors that every call has, and it is said by
 * what callers show who they are. The page's cookie is none of that: it is for browsers alone.
 */
@OpenApiFilter(RunStage.BUILD)
public class ApiDescription implements OASFilter {
  private static final String LIMIT = "limit";

  /** Numbers that are read as text, so that what is no number gets an answer of ours. */
  private static final Set<String> INTEGERS = Set.of("generation", LIMIT, "rank");

  /** Whose limit is one of retries, and none of a page. */
  private static final String RETRIES = "/retries";

  /** By the first part of their paths; of all others that part is the tag. */
  private static final Map<String, String> TAGS =
      Map.of(
          "explain", "requests",
          "results", "requests",
          "passive", "requests",
          "reload", "kinds",
          "estimates", "queues",
          "set-aside", "queues");

  /** As application.properties has it, too. */
  private static final String TOKEN = "token";

  private static final String CERTIFICATE = "certificate";
  private static final int FIRST_ERROR = 400;

  @Override
  public void filterOpenAPI(OpenAPI api) {
    MessageSchemas.all().forEach(api.getComponents()::addSchema);
    Schema request = OASFactory.createSchema().ref("Request");
    api.getComponents()
        .addSchema(
            "RequestEvent",
            OASFactory.createSchema()
                .description("a structured CloudEvent 1.0")
                .type(List.of(SchemaType.OBJECT))
                .required(List.of("specversion", "data"))
                .addProperty("id", text())
                .addProperty("specversion", text())
                .addProperty("data", request))
        .addSchema("ApiError", error())
        .addSchema("RequestLines", text().description("a Request a line"));
    addLogins(api);
    api.getPaths()
        .getPathItems()
        .forEach((path, item) -> item.getOperations().forEach((how, call) -> complete(path, call)));
  }

  private static void addLogins(OpenAPI api) {
    api.getComponents()
        .addSecurityScheme(
            TOKEN,
            OASFactory.createSecurityScheme()
                .type(Type.HTTP)
                .scheme("bearer")
                .description(
                    "Of stoker token create, or a JWT of the issuer of logins. A dispatcher that"
                        + " is open to its machine, or to all, asks for none"))
        .addSecurityScheme(
            CERTIFICATE,
            OASFactory.createSecurityScheme()
                .type(Type.MUTUALTLS)
                .description("Of an authority of stoker.http.client-ca, instead of a token"));
  }

  /** From the roles that a call is annotated with follows what it says of a token. */
  private static void addCertificate(Operation call) {
    for (SecurityRequirement one : List.copyOf(call.getSecurity())) {
      call.addSecurityRequirement(
          OASFactory.createSecurityRequirement().addScheme(CERTIFICATE, one.getScheme(TOKEN)));
    }
  }

  private static Schema error() {
    Schema error =
        OASFactory.createSchema()
            .description("Why a call was not answered, as RFC 9457 has it")
            .type(List.of(SchemaType.OBJECT))
            .required(List.of("type", "title", "status", "detail", "message"));
    for (RecordComponent part : ApiError.class.getRecordComponents()) {
      boolean number = part.getType() == int.class;
      error.addProperty(
          part.getName(),
          number ? OASFactory.createSchema().type(List.of(SchemaType.INTEGER)) : text());
    }
    return error;
  }

  private static Schema text() {
    return OASFactory.createSchema().type(List.of(SchemaType.STRING));
  }

  private static void complete(String path, Operation call) {
    String part = path.equals("/") ? "now" : path.split("/")[1];
    call.setTags(List.of(TAGS.getOrDefault(part, part)));
    if (call.getParameters() != null) {
      call.getParameters().forEach(parameter -> retype(path, parameter));
    }
    addCertificate(call);
    error(call, Status.BAD_REQUEST, "a field or parameter is wrong");
    error(call, Status.INTERNAL_SERVER_ERROR, "a defect");
    error(
        call,
        Status.SERVICE_UNAVAILABLE,
        "the database, Kafka or the issuer of logins cannot be reached");
    error(
        call,
        Status.FORBIDDEN,
        "not allowed to who calls, called by a foreign name, or sent by a page of another site");
    error(call, Status.UNAUTHORIZED, "no token, or one that is not taken");
    error(
        call,
        Status.TOO_MANY_REQUESTS,
        "too many calls, logs that are read at a time, or wrong tokens from this address");
    if (call.getRequestBody() != null) {
      error(call, Status.REQUEST_ENTITY_TOO_LARGE, "the body is too large");
      error(call, Status.UNSUPPORTED_MEDIA_TYPE, "the body is of another type");
    }
    call.getResponses()
        .getAPIResponses()
        .forEach(
            (status, response) -> {
              if (Integer.parseInt(status) >= FIRST_ERROR && response.getContent() == null) {
                response.setContent(
                    OASFactory.createContent()
                        .addMediaType(
                            ApiError.MEDIA_TYPE,
                            OASFactory.createMediaType()
                                .schema(OASFactory.createSchema().ref("ApiError"))));
              }
            });
  }

  private static void retype(String path, Parameter parameter) {
    if (INTEGERS.contains(parameter.getName())) {
      bound(parameter.getSchema(), parameter.getName().equals(LIMIT), path.endsWith(RETRIES));
      parameter.getSchema().setType(List.of(SchemaType.INTEGER));
      Object given = parameter.getSchema().getDefaultValue();
      if (given != null) {
        String number = given.toString();
        parameter.getSchema().setDefaultValue(number.isEmpty() ? null : Integer.valueOf(number));
      }
    }
  }

  private static void bound(Schema number, boolean limit, boolean retries) {
    number.setMinimum(limit && !retries ? BigDecimal.ONE : BigDecimal.ZERO);
    if (limit) {
      number.setMaximum(
          BigDecimal.valueOf(retries ? GroupsResource.MOST_RETRIES : ListResource.MOST));
    }
  }

  private static void error(Operation call, Status status, String why) {
    String code = Integer.toString(status.getStatusCode());
    if (!call.getResponses().hasAPIResponse(code)) {
      APIResponse response = OASFactory.createAPIResponse().description(why);
      call.getResponses().addAPIResponse(code, response);
    }
  }
}

package io.stoker.dispatcher.service.rest;

import io.stoker.common.json.Json;
import io.stoker.dispatcher.kinds.KindsRefused;
import io.stoker.dispatcher.service.kinds.YamlText;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Describes this interface, as docs/openapi.yaml does: nothing of it is made while it serves. */
@RolesAllowed(Rights.READ)
@Path("/q/openapi")
public class DescriptionResource {
  private static final String FILE = "/openapi.yaml";
  private static final String YAML = "application/yaml;charset=UTF-8";
  private static final String JSON = MediaType.APPLICATION_JSON + ";charset=UTF-8";

  @GET
  @Operation(hidden = true)
  public Response describe(
      @QueryParam("format") @DefaultValue("") String format,
      @HeaderParam(HttpHeaders.ACCEPT) @DefaultValue("") String accept) {
    boolean json =
        switch (format.toLowerCase()) {
          case "json" -> true;
          case "yaml" -> false;
          case "" -> accept.contains(MediaType.APPLICATION_JSON);
          default -> throw ApiException.badRequest("format", format, "json or yaml");
        };
    byte[] yaml = file();
    return json ? Response.ok(json(yaml), JSON).build() : Response.ok(yaml, YAML).build();
  }

  private static byte[] file() {
    try (InputStream in = DescriptionResource.class.getResourceAsStream(FILE)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] json(byte[] yaml) {
    try {
      return Json.bytes(YamlText.read(new String(yaml, StandardCharsets.UTF_8)).tree());
    } catch (KindsRefused e) {
      throw new IllegalStateException(FILE, e);
    }
  }
}

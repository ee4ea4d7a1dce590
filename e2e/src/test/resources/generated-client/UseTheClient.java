import client.ApiClient;
import client.ApiException;
import client.api.HostsApi;
import client.api.RequestsApi;
import client.model.DetailsView;
import client.model.Posted;
import client.model.Request;
import client.model.RequestResources;
import client.model.RequestState;
import client.model.RequestStatus;
import java.util.List;
import java.util.Map;

/** What a user writes who has made a client from the OpenAPI document. */
public final class UseTheClient {
  private UseTheClient() {}

  /**
   * Runs one job and looks at it from all sides.
   *
   * @param arguments where the dispatcher is, and a token
   */
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    client.setRequestInterceptor(
        call -> call.header("Authorization", "Bearer " + arguments[1]));
    RequestsApi requests = new RequestsApi(client);

    Request request =
        new Request()
            .id("made-by-a-client")
            .command(List.of("sh", "-c", "echo hello; echo '#stoker:result 0.25'"))
            .labels(Map.of("team", "vision"))
            .resources(new RequestResources().cpus(1));
    Posted posted = requests.post(request, null);
    check("the answer has its id", posted.getId().equals(request.getId()));

    RequestStatus status = requests.status(known(requests, request.getId()));
    while (!List.of("SUCCEEDED", "FAILED", "CANCELLED").contains(status.getState().getValue())) {
      Thread.sleep(100);
      status = requests.status(request.getId());
    }
    check("it has succeeded", status.getState().getValue().equals("SUCCEEDED"));
    check("its score is there", status.getScore().doubleValue() == 0.25);
    check("its output is there", printed(requests, request.getId()).contains("hello"));

    DetailsView details = requests.details(request.getId());
    check("its command is there", details.getRequest() != null);
    check(
        "it is listed",
        requests
            .callList(
                // By name: a description that got another parameter keeps it working.
                RequestsApi.APICallListRequest.newBuilder()
                    .label(List.of("team=vision"))
                    .limit(10)
                    .prefix("made-by")
                    .build())
            .getRequests()
            .stream()
            .anyMatch(one -> one.getId().equals(request.getId())));
    check("a host is up", !new HostsApi(client).hosts().getHosts().isEmpty());
    refused(requests);
  }

  private static String known(RequestsApi requests, String id) throws Exception {
    for (int i = 0; i < 600; i++) {
      try {
        requests.status(id);
        return id;
      } catch (ApiException notYet) {
        check("404 until it is known, not " + notYet, notYet.getCode() == 404);
        Thread.sleep(100);
      }
    }
    throw new IllegalStateException("it never got known: " + id);
  }

  /** What it printed, which may come after its end. */
  private static String printed(RequestsApi requests, String id) throws Exception {
    String output = requests.logs(id, false, false, null, false);
    for (int i = 0; i < 600 && output.isEmpty(); i++) {
      Thread.sleep(100);
      output = requests.logs(id, false, false, null, false);
    }
    return output;
  }

  private static void refused(RequestsApi requests) {
    try {
      requests.status("nobody-posted-this");
      throw new IllegalStateException("an unknown id is answered");
    } catch (ApiException expected) {
      check("404 with a sentence", expected.getCode() == 404);
      check("which names the id", expected.getResponseBody().contains("nobody-posted-this"));
    }
  }

  private static void check(String what, boolean holds) {
    if (!holds) {
      throw new IllegalStateException("does not hold: " + what);
    }
  }
}

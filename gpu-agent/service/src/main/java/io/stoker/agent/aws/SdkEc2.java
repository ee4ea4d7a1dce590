package io.stoker.agent.aws;

import io.stoker.agent.aws.Ec2Exception.Kind;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.Ec2ClientBuilder;
import software.amazon.awssdk.services.ec2.model.InstanceStateName;

/** EC2 by Amazon's client, which is made when something is asked for the first time. */
final class SdkEc2 implements Ec2 {
  /** What does not become better by itself. */
  private static final Set<String> FOR_A_PERSON =
      Set.of(
          "UnauthorizedOperation",
          "AuthFailure",
          "AccessDenied",
          "Blocked",
          "OptInRequired",
          "InvalidClientTokenId",
          "SignatureDoesNotMatch",
          "UnrecognizedClientException",
          "UnsupportedOperation",
          "InvalidInstanceID.Malformed");

  private static final String NOT_FOUND = "InvalidInstanceID.NotFound";

  private final Optional<String> region;
  private final Optional<URI> endpoint;
  private final Duration within;
  private Optional<Ec2Client> client = Optional.empty();

  /**
   * @param region else as the client finds it
   * @param endpoint else Amazon's
   * @param within how long an answer may take
   */
  SdkEc2(Optional<String> region, Optional<URI> endpoint, Duration within) {
    this.region = region;
    this.endpoint = endpoint;
    this.within = within;
  }

  private interface Question<T> {
    T ask(Ec2Client client);
  }

  @Override
  public Instance describe(String id) throws Ec2Exception {
    return asking(
        id,
        "DescribeInstances",
        ec2 ->
            ec2.describeInstances(request -> request.instanceIds(id)).reservations().stream()
                .flatMap(reservation -> reservation.instances().stream())
                .findFirst()
                .map(SdkEc2::instance)
                .orElse(new Instance(State.TERMINATED, Optional.empty(), Optional.empty())));
  }

  private static Instance instance(software.amazon.awssdk.services.ec2.model.Instance found) {
    Optional<String> address =
        some(found.publicDnsName())
            .or(() -> some(found.publicIpAddress()))
            .or(() -> some(found.privateIpAddress()));
    Optional<String> reason =
        Optional.ofNullable(found.stateReason()).flatMap(why -> some(why.message()));
    return new Instance(state(found.state().name()), address, reason);
  }

  private static Optional<String> some(String text) {
    return Optional.ofNullable(text).filter(given -> !given.isBlank());
  }

  private static State state(InstanceStateName name) {
    return switch (name) {
      case RUNNING -> State.RUNNING;
      case STOPPING -> State.STOPPING;
      case STOPPED -> State.STOPPED;
      case SHUTTING_DOWN -> State.SHUTTING_DOWN;
      case TERMINATED -> State.TERMINATED;
      case PENDING, UNKNOWN_TO_SDK_VERSION -> State.PENDING;
    };
  }

  @Override
  public void start(String id) throws Ec2Exception {
    asking(id, "StartInstances", ec2 -> ec2.startInstances(request -> request.instanceIds(id)));
  }

  @Override
  public void stop(String id) throws Ec2Exception {
    asking(id, "StopInstances", ec2 -> ec2.stopInstances(request -> request.instanceIds(id)));
  }

  private <T> T asking(String id, String action, Question<T> question) throws Ec2Exception {
    try {
      return question.ask(client());
    } catch (AwsServiceException e) {
      Optional<AwsErrorDetails> details = Optional.ofNullable(e.awsErrorDetails());
      String code = details.map(AwsErrorDetails::errorCode).orElse("");
      String said = details.map(AwsErrorDetails::errorMessage).orElseGet(e::getMessage);
      Kind kind =
          code.equals(NOT_FOUND)
              ? Kind.NOTHING
              : FOR_A_PERSON.contains(code) ? Kind.PERSON : Kind.LATER;
      throw new Ec2Exception(
          kind, "%s of instance %s was refused: %s: %s".formatted(action, id, code, said));
    } catch (SdkClientException e) {
      boolean set = e.getMessage() != null && e.getMessage().contains("Unable to load");
      throw new Ec2Exception(
          set ? Kind.PERSON : Kind.LATER,
          "%s of instance %s failed: %s".formatted(action, id, e.getMessage()));
    }
  }

  private synchronized Ec2Client client() {
    if (client.isEmpty()) {
      Ec2ClientBuilder builder =
          Ec2Client.builder()
              .httpClientBuilder(UrlConnectionHttpClient.builder().connectionTimeout(within))
              .overrideConfiguration(
                  set ->
                      // What fails is tried again as this runner's own rules say.
                      set.retryStrategy(DefaultRetryStrategy.doNotRetry()).apiCallTimeout(within));
      region.map(Region::of).ifPresent(builder::region);
      endpoint.ifPresent(builder::endpointOverride);
      client = Optional.of(builder.build());
    }
    return client.get();
  }

  @Override
  public synchronized void close() {
    client.ifPresent(Ec2Client::close);
    client = Optional.empty();
  }
}

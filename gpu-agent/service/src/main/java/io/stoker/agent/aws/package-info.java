/**
 * Instances of EC2 as nodes: started when a job needs them, and stopped when none does. The jobs
 * themselves run by {@link io.stoker.agent.ssh}.
 */
package io.stoker.agent.aws;

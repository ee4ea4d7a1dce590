/**
 * How the agent is, told to Prometheus, and which jobs are on which GPUs, told to dcgm-exporter.
 */
package io.stoker.agent.metrics;

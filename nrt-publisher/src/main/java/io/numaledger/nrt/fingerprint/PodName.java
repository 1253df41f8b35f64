package io.numaledger.nrt.fingerprint;

/** A pod as a fingerprint knows it: without UID, so that a pod created again under its name is the same. */
public record PodName(String namespace, String name) {}

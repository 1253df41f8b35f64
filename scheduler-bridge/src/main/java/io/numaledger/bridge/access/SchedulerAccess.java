package io.numaledger.bridge.access;

import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.tls.TrustedAuthority;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Lets schedulers call the extender verbs: clients with a certificate of one authority, and one of these names. Other replicas of the
 * bridge may pass {@code bind} on.
 */
public final class SchedulerAccess {

    private final TrustedAuthority authority;
    private final Set<String> names;
    private final Optional<String> replica;
    private final Map<String, Instant> expiries = new ConcurrentHashMap<>();

    /**
     * Access for these clients.
     *
     * @param names common names of the schedulers
     * @param replica common name of all replicas of the bridge
     */
    public SchedulerAccess(TrustedAuthority authority, Set<String> names, Optional<String> replica) {
        this.replica = replica;
        this.authority = authority;
        this.names = new TreeSet<>(names);
    }

    /** Reads the authority's certificates again. Call it now and then. */
    public void refresh() {
        authority.refresh();
    }

    /** Common names of the schedulers. */
    public Set<String> names() {
        return names;
    }

    /** When the certificate expires that this scheduler last called with; absent if it has not called. */
    public Optional<Instant> clientExpiry(String name) {
        return Optional.ofNullable(expiries.get(name));
    }

    /** When the last of the authority's certificates expires. */
    public Instant authorityExpiry() {
        return authority.expiry();
    }

    /** Whether a certificate chain is one of a scheduler. */
    public boolean isScheduler(List<X509Certificate> chain) {
        return authority.commonName(chain).filter(names::contains).isPresent();
    }

    /** Whether it is one of another replica. */
    public boolean isReplica(List<X509Certificate> chain) {
        return authority
                .commonName(chain)
                .filter(name -> replica.equals(Optional.of(name)))
                .isPresent();
    }

    /** Why a request is refused; absent for one of a scheduler. */
    public Optional<Answer> refusal(Request request) {
        if (request.client().isEmpty()) {
            return Optional.of(
                    Answer.text(
                            401,
                            "a client certificate is required; set certFile and keyFile in tlsConfig of the scheduler's extender"));
        }
        Optional<String> name = authority.commonName(request.client());
        if (name.isEmpty()) {
            return Optional.of(Answer.text(
                    401,
                    "the client certificate is not valid here: subject=%s; use one that is signed by --client-ca, for clients, and not expired"
                            .formatted(request.client().get(0).getSubjectX500Principal())));
        }
        if (!names.contains(name.get())) {
            return Optional.of(
                    Answer.text(403, "this client is no scheduler: name=%s; see --client-names".formatted(name.get())));
        }
        expiries.put(name.get(), request.client().get(0).getNotAfter().toInstant());
        return Optional.empty();
    }
}

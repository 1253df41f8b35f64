{{- define "numaledger.scheduler.config" -}}
{{- $profile := include "numaledger.scheduler.profile" . -}}
{{- $percentage := .Values.scheduler.percentageOfNodesToScore -}}
{{- /* Plans of PodGroups need all nodes. Before 1.32, kube-scheduler does not try a pod again when it is nominated. */ -}}
{{- $needsAll := or (contains "GenericWorkload=true" (join "," .Values.scheduler.extraArgs)) (semverCompare "<1.32-0" .Capabilities.KubeVersion.Version) -}}
{{- if and (not $percentage) $needsAll -}}
{{- $percentage = 100 -}}
{{- end -}}
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
# Every unsuccessful attempt may cost a call to the API server.
clientConnection:
  qps: 500
  burst: 1000
{{- if eq .Values.mode "reconfigured" }}{{ with .Values.scheduler.kubeconfig }}
  kubeconfig: {{ . | quote }}
{{- end }}{{ end }}
leaderElection:
  leaderElect: true
{{- if ne $profile "default-scheduler" }}
  # Not the lease of the cluster's own scheduler.
  resourceName: {{ $profile | quote }}
{{- end }}
{{- with $percentage }}
# kube-scheduler offers the bridge so many of the nodes. Without this, it decides by itself.
percentageOfNodesToScore: {{ . }}
{{- end }}
# Zones stay reserved for a pending pod until kube-scheduler retries it.
# An idle kube-scheduler of Kubernetes 1.33 or later does not wait for the back-off, unless it is started with
# --feature-gates=SchedulerPopFromBackoffQ=false.
podMaxBackoffSeconds: 2
profiles:
- schedulerName: {{ $profile | quote }}
# It fits bridge run --zone-refusals=unresolvable, the default: kube-scheduler does not call preempt for a node that fits
# by node-level requests. With preemptable, it would retry a pod of higher priority without end.
extenders:
- urlPrefix: "https://{{ include "numaledger.bridge" . }}.{{ .Release.Namespace }}.svc:9443"
  filterVerb: filter
  prioritizeVerb: prioritize
  preemptVerb: preempt
  bindVerb: bind
  weight: 10
  nodeCacheCapable: true
  ignorable: false
  httpTimeout: 10s
  enableHTTPS: true
  tlsConfig:
    insecure: false
    caFile: "{{ .Values.scheduler.tlsDirectory }}/ca.crt"
    certFile: "{{ .Values.scheduler.tlsDirectory }}/tls.crt"
    keyFile: "{{ .Values.scheduler.tlsDirectory }}/tls.key"
{{- end }}

{{- define "numaledger.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride }}
{{- else if .Values.nameOverride }}
{{- printf "%s-%s" .Release.Name .Values.nameOverride }}
{{- else }}
{{- .Release.Name }}
{{- end }}
{{- end }}

{{- define "numaledger.name" -}}
{{ .Values.nameOverride | default .Chart.Name }}
{{- end }}

{{- /* Labels that every object has. */}}
{{- define "numaledger.labels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "numaledger.agent" -}}
{{ include "numaledger.fullname" . | trunc 57 | trimSuffix "-" }}-agent
{{- end }}

{{- define "numaledger.agent.selector" -}}
app.kubernetes.io/name: {{ include "numaledger.name" . }}
app.kubernetes.io/component: agent
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "numaledger.agent.labels" -}}
{{ include "numaledger.agent.selector" . }}
{{ include "numaledger.labels" . }}
{{- end }}

{{- /* Not empty if the mode has a bridge. */}}
{{- define "numaledger.hasBridge" -}}
{{- if ne .Values.mode "kai" }}true{{ end }}
{{- end }}

{{- define "numaledger.bridge" -}}
{{ include "numaledger.fullname" . | trunc 56 | trimSuffix "-" }}-bridge
{{- end }}

{{- define "numaledger.bridge.issuer" -}}
{{- $issuer := .Values.bridge.certificates }}
{{- if not (has $issuer (list "auto" "cert-manager" "bridge" "secret")) }}
{{- fail (printf "bridge.certificates is %q; use auto, cert-manager, bridge or secret" $issuer) }}
{{- end }}
{{- if ne $issuer "auto" }}
{{- $issuer }}
{{- else if .Capabilities.APIVersions.Has "cert-manager.io/v1" }}
{{- "cert-manager" }}
{{- else }}
{{- "bridge" }}
{{- end }}
{{- end }}

{{- define "numaledger.bridge.selector" -}}
app.kubernetes.io/name: {{ include "numaledger.name" . }}
app.kubernetes.io/component: bridge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "numaledger.bridge.labels" -}}
{{ include "numaledger.bridge.selector" . }}
{{ include "numaledger.labels" . }}
{{- end }}

{{- define "numaledger.scheduler" -}}
{{ include "numaledger.fullname" . | trunc 53 | trimSuffix "-" }}-scheduler
{{- end }}

{{- define "numaledger.scheduler.selector" -}}
app.kubernetes.io/name: {{ include "numaledger.name" . }}
app.kubernetes.io/component: scheduler
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "numaledger.scheduler.labels" -}}
{{ include "numaledger.scheduler.selector" . }}
{{ include "numaledger.labels" . }}
{{- end }}

{{- /* schedulerName of the pods that use the bridge. */}}
{{- define "numaledger.scheduler.profile" -}}
{{- $profile := ternary "default-scheduler" .Values.scheduler.name (eq .Values.mode "reconfigured") }}
{{- if not (has $profile .Values.bridge.schedulerNames) }}
{{- fail (printf "bridge.schedulerNames lacks %q, so the bridge would bind none of its pods; add it" $profile) }}
{{- end }}
{{- $profile }}
{{- end }}

{{- /* The Secret with the certificate of the scheduler. */}}
{{- define "numaledger.scheduler.clientSecret" -}}
{{- if .Values.scheduler.clientSecret }}
{{- .Values.scheduler.clientSecret }}
{{- else if eq (include "numaledger.bridge.issuer" .) "secret" }}
{{- fail "scheduler.clientSecret names a Secret of this namespace with ca.crt, tls.crt and tls.key of the scheduler; bridge.certificates=secret needs it" }}
{{- else }}
{{- include "numaledger.bridge" . }}-client
{{- end }}
{{- end }}

{{- /* The release of the cluster: its patch releases are releases of kube-scheduler, too. */}}
{{- define "numaledger.scheduler.tag" -}}
{{- $version := semver .Capabilities.KubeVersion.Version }}
{{- .Values.scheduler.image.tag | default (printf "v%d.%d.%d" $version.Major $version.Minor $version.Patch) }}
{{- end }}

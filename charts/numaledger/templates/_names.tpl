{{- define "numaledger.agent" -}}
{{ .Release.Name | trunc 57 | trimSuffix "-" }}-agent
{{- end }}

{{- define "numaledger.agent.selector" -}}
app.kubernetes.io/name: numaledger
app.kubernetes.io/component: agent
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "numaledger.agent.labels" -}}
{{ include "numaledger.agent.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "numaledger.bridge" -}}
{{ .Release.Name | trunc 56 | trimSuffix "-" }}-bridge
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
app.kubernetes.io/name: numaledger
app.kubernetes.io/component: bridge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "numaledger.bridge.labels" -}}
{{ include "numaledger.bridge.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

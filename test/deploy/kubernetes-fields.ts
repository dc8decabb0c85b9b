/**
 * Fields of the Kubernetes API that the manifests use, each looked up in its reference (v1.34): a misspelt field, which `kubectl apply` would
 * refuse, is none of these. No package with the whole schemas is at hand.
 */
export const KUBERNETES_FIELDS: ReadonlySet<string> = new Set(
  (
    'allowPrivilegeEscalation apiVersion automountServiceAccountToken averageUtilization behavior capabilities cidr command configMap ' +
    'configMapRef containerPort containers cpu drop egress emptyDir enableServiceLinks env envFrom except exec failureThreshold from ' +
    'fsGroup httpGet httpHeaders image ingress ipBlock key kind labelSelector labels lifecycle limits livenessProbe matchLabels ' +
    'maxReplicas maxSkew maxUnavailable memory metadata metrics minReplicas mountPath name namespaceSelector optional path ' +
    'periodSeconds podSelector policyTypes port ports preStop protocol readOnly readOnlyRootFilesystem readinessProbe replicas requests ' +
    'resource resources revisionHistoryLimit runAsGroup runAsNonRoot runAsUser scaleDown scaleTargetRef seccompProfile secretKeyRef ' +
    'securityContext selector serviceAccountName sizeLimit spec stabilizationWindowSeconds startupProbe strategy target targetPort ' +
    'template terminationGracePeriodSeconds timeoutSeconds to topologyKey topologySpreadConstraints type unhealthyPodEvictionPolicy ' +
    'value valueFrom volumeMounts volumes whenUnsatisfiable'
  ).split(' '),
)

import { type Static, type TSchema, Type } from 'typebox'

/**
 * The part of the Kubernetes API that the manifests use, from its reference (v1.34), closed: what is misspelt or stands in the wrong place is
 * refused, as `kubectl apply --validate=strict` would. No package with the whole schemas is at hand.
 */
const closed = { additionalProperties: false } as const
const object = <T extends Record<string, TSchema>>(properties: T) => Type.Object(properties, closed)
const optional = Type.Optional
const text = () => Type.String({ minLength: 1 })
const count = () => Type.Integer({ minimum: 0 })
const name = () => Type.String({ pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' })
const key = () => Type.String({ pattern: '^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$' })
const quantity = () => Type.String({ pattern: '^[0-9]+(m|Mi|Gi)?$' })
const words = () => Type.Record(Type.String({ pattern: '^[A-Za-z0-9./_-]+$' }), Type.String({ maxLength: 63 }))
const port = () => Type.Union([Type.Integer({ minimum: 1, maximum: 65_535 }), name()])

const Metadata = object({ name: name(), labels: optional(words()) })
const LabelSelector = object({ matchLabels: optional(words()) })

const Probe = object({
  httpGet: object({
    path: Type.String({ pattern: '^/' }),
    port: port(),
    httpHeaders: optional(Type.Array(object({ name: text(), value: text() }))),
  }),
  periodSeconds: count(),
  timeoutSeconds: count(),
  failureThreshold: count(),
})

const Variable = Type.Union([
  object({ name: Type.String({ pattern: '^[A-Z0-9_]+$' }), value: Type.String() }),
  object({
    name: Type.String({ pattern: '^[A-Z0-9_]+$' }),
    valueFrom: object({
      secretKeyRef: object({ name: name(), key: key(), optional: optional(Type.Boolean()) }),
    }),
  }),
])

const Container = object({
  name: name(),
  image: text(),
  command: Type.Array(text(), { minItems: 1 }),
  ports: Type.Array(object({ name: Type.String({ pattern: '^[a-z0-9-]{1,15}$' }), containerPort: Type.Integer() })),
  envFrom: Type.Array(object({ configMapRef: object({ name: name() }) })),
  env: Type.Array(Variable),
  lifecycle: optional(object({ preStop: object({ exec: object({ command: Type.Array(text()) }) }) })),
  startupProbe: Probe,
  livenessProbe: Probe,
  readinessProbe: Probe,
  resources: object({
    requests: object({ cpu: quantity(), memory: quantity() }),
    limits: object({ cpu: optional(quantity()), memory: quantity() }),
  }),
  securityContext: object({
    allowPrivilegeEscalation: Type.Boolean(),
    readOnlyRootFilesystem: Type.Boolean(),
    capabilities: object({ drop: Type.Array(text()) }),
  }),
  volumeMounts: Type.Array(object({ name: name(), mountPath: text(), readOnly: optional(Type.Boolean()) })),
})

const Volume = Type.Union([
  object({ name: name(), configMap: object({ name: name() }) }),
  object({ name: name(), emptyDir: object({ sizeLimit: quantity() }) }),
])

const PodSpec = object({
  serviceAccountName: name(),
  automountServiceAccountToken: Type.Boolean(),
  enableServiceLinks: Type.Boolean(),
  terminationGracePeriodSeconds: count(),
  securityContext: object({
    runAsNonRoot: Type.Boolean(),
    runAsUser: Type.Integer({ minimum: 1 }),
    runAsGroup: Type.Integer({ minimum: 1 }),
    fsGroup: Type.Integer({ minimum: 1 }),
    seccompProfile: object({ type: Type.Enum(['RuntimeDefault', 'Localhost'], { type: 'string' }) }),
  }),
  topologySpreadConstraints: Type.Array(
    object({
      maxSkew: Type.Integer({ minimum: 1 }),
      topologyKey: text(),
      whenUnsatisfiable: Type.Enum(['ScheduleAnyway', 'DoNotSchedule'], { type: 'string' }),
      labelSelector: LabelSelector,
    }),
  ),
  containers: Type.Array(Container, { minItems: 1, maxItems: 1 }),
  volumes: Type.Array(Volume),
})

const kind = <K extends string, T extends Record<string, TSchema>>(apiVersion: string, named: K, properties: T) =>
  object({ apiVersion: Type.Literal(apiVersion), kind: Type.Literal(named), metadata: Metadata, ...properties })

const DeploymentSchema = kind('apps/v1', 'Deployment', {
  spec: object({
    replicas: optional(count()),
    revisionHistoryLimit: count(),
    strategy: object({ type: Type.Enum(['Recreate', 'RollingUpdate'], { type: 'string' }) }),
    selector: LabelSelector,
    template: object({ metadata: object({ labels: words() }), spec: PodSpec }),
  }),
})
export type Deployment = Static<typeof DeploymentSchema>

const Peer = object({
  podSelector: optional(LabelSelector),
  namespaceSelector: optional(LabelSelector),
  ipBlock: optional(object({ cidr: text(), except: optional(Type.Array(text())) })),
})
const RulePort = object({ protocol: Type.Enum(['TCP', 'UDP'], { type: 'string' }), port: port() })

const NetworkPolicySchema = kind('networking.k8s.io/v1', 'NetworkPolicy', {
  spec: object({
    podSelector: LabelSelector,
    policyTypes: Type.Array(Type.Enum(['Ingress', 'Egress'], { type: 'string' })),
    ingress: optional(Type.Array(object({ from: Type.Array(Peer), ports: Type.Array(RulePort) }))),
    egress: optional(Type.Array(object({ to: Type.Array(Peer), ports: Type.Array(RulePort) }))),
  }),
})

/** By kind. */
export const SCHEMAS: Readonly<Record<string, TSchema>> = {
  Namespace: kind('v1', 'Namespace', {}),
  ServiceAccount: kind('v1', 'ServiceAccount', { automountServiceAccountToken: Type.Boolean() }),
  Service: kind('v1', 'Service', {
    spec: object({
      selector: words(),
      ports: Type.Array(object({ name: name(), port: Type.Integer(), targetPort: port() })),
    }),
  }),
  Deployment: DeploymentSchema,
  PodDisruptionBudget: kind('policy/v1', 'PodDisruptionBudget', {
    spec: object({
      maxUnavailable: count(),
      unhealthyPodEvictionPolicy: Type.Enum(['AlwaysAllow', 'IfHealthyBudget'], { type: 'string' }),
      selector: LabelSelector,
    }),
  }),
  HorizontalPodAutoscaler: kind('autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: object({
      scaleTargetRef: object({ apiVersion: text(), kind: text(), name: name() }),
      minReplicas: count(),
      maxReplicas: count(),
      metrics: Type.Array(
        object({
          type: Type.Literal('Resource'),
          resource: object({
            name: text(),
            target: object({ type: Type.Literal('Utilization'), averageUtilization: count() }),
          }),
        }),
      ),
      behavior: object({ scaleDown: object({ stabilizationWindowSeconds: count() }) }),
    }),
  }),
  NetworkPolicy: NetworkPolicySchema,
  Kustomization: object({
    apiVersion: Type.Literal('kustomize.config.k8s.io/v1beta1'),
    kind: Type.Literal('Kustomization'),
    namespace: optional(name()),
    resources: Type.Array(text()),
    configMapGenerator: optional(
      Type.Array(object({ name: name(), files: optional(Type.Array(text())), literals: optional(Type.Array(text())) })),
    ),
    images: optional(Type.Array(object({ name: name(), newName: text(), newTag: text() }))),
    patches: optional(Type.Array(object({ target: object({ kind: text() }), patch: text() }))),
  }),
}

import type { ComponentChildren, JSX } from 'preact'

/** Names and values. A value that is null or false is left out. */
export const Facts = ({
  facts,
}: {
  readonly facts: readonly (readonly [string, ComponentChildren])[]
}): JSX.Element => (
  <dl class="facts">
    {facts.map(([name, value]) =>
      value === null || value === false || value === undefined ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
)

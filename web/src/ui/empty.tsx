import type { ComponentChildren, JSX } from 'preact'

/** Why there is nothing, and the command that makes something. `command` is what stands behind `veridict`. */
export const Empty = (props: { readonly children: ComponentChildren; readonly command?: string }): JSX.Element => (
  <div class="empty">
    <p>{props.children}</p>
    {props.command !== undefined && (
      <>
        <pre class="command">
          veridict {props.command} --server {location.origin}
        </pre>
        <p class="aside">
          In a checkout, <code>veridict</code> is <code>npm run --silent veridict --</code>.
        </p>
      </>
    )}
  </div>
)

/** What begins everything: the folder stands for any pile of trajectories with their ground truths. */
export const FIRST_COMMAND = 'batch examples'

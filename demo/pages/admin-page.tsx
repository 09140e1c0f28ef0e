import type { VNode } from 'preact';
import type { User } from '../database/user.js';
import { roles } from '../database/user.js';
import { text } from '../languages.js';
import type { Context, Reader } from './page.js';

interface AdminPageProps {
  readonly users: readonly User[];
  readonly reader: Reader;
  readonly url: Context['url'];
}

/** Lists users and their roles. */
export function AdminPage({ users, reader, url }: AdminPageProps): VNode {
  return (
    <>
      <h1>{text('admin')}</h1>
      <p>{text('adminHint')}</p>
      <table>
        <thead>
          <tr>
            <th scope="col">{text('name')}</th>
            <th scope="col">{text('role')}</th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr>
              <th scope="row">{user.identifier}</th>
              <td>
                {user.identifier === reader.user?.identifier ? (
                  `${text(user.roles[0])}. ${text('ownRole')}`
                ) : (
                  <RoleForm user={user} url={url} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function RoleForm({ user, url }: Pick<AdminPageProps, 'url'> & { readonly user: User }): VNode {
  const { identifier } = user;
  return (
    <form method="post" action={url('admin_role', { identifier })}>
      <select name="role" aria-label={`${text('role')}: ${identifier}`}>
        {roles.map((role) => (
          <option value={role} selected={role === user.roles[0]}>
            {text(role)}
          </option>
        ))}
      </select>
      <button class="button" aria-label={`${text('change')}: ${identifier}`}>
        {text('change')}
      </button>
    </form>
  );
}

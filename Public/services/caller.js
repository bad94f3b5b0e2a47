// Who the service says we are.

let current = { key_required: false };

export const setCaller = (caller) => { current = caller; };

export const caller = () => current;

/** Whether the caller may do what `role` may: `reader`, `user` or `admin`. */
export function may(role) {
  const roles = ["reader", "user", "admin"];
  return !current.key_required || roles.indexOf(current.role) >= roles.indexOf(role);
}

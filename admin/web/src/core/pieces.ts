// Pieces of the admin that are loaded when they are first needed.

const reloaded = "quire-reloaded";

/**
 * Loads a piece. Where it is gone, because the server has another version of the admin
 * since the page was opened, the page is loaded anew, once: what was typed is kept.
 */
export async function piece<T>(load: () => Promise<T>): Promise<T> {
  try {
    const loaded = await load();
    sessionStorage.removeItem(reloaded);
    return loaded;
  } catch (error) {
    const there = await fetch(location.href, { method: "HEAD" }).then((answer) => answer.ok, () => false);
    if (!there || sessionStorage.getItem(reloaded)) throw error;
    sessionStorage.setItem(reloaded, "1");
    location.reload();
    return new Promise(() => undefined);
  }
}

// Pieces of the admin that are loaded when they are first needed.

const reloaded = "quire-reloaded"; // when

const again = 60_000; // ms, after which the page may be loaded anew once more

/**
 * Loads a piece. Where it is gone, because the server has another version of the admin
 * since the page was opened, the page is loaded anew, once: what was typed is kept.
 */
export async function piece<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const there = await fetch(location.href, { method: "HEAD" }).then((answer) => answer.ok, () => false);
    if (!there || Date.now() - Number(sessionStorage.getItem(reloaded)) < again) throw error;
    sessionStorage.setItem(reloaded, String(Date.now()));
    location.reload();
    return new Promise(() => undefined);
  }
}

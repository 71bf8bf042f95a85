//! What drives connections: on their caller's thread until the peer is there, then in the background.

use crate::NetError;

#[cfg(not(target_family = "wasm"))]
pub(crate) use native::{background, drive, runtime};
#[cfg(target_family = "wasm")]
pub(crate) use page::{background, runtime};

#[cfg(not(target_family = "wasm"))]
mod native {
    use tokio::runtime::Builder;
    pub(crate) use tokio::runtime::Runtime;
    use tokio::task::JoinSet;

    use super::NetError;

    pub(crate) fn runtime() -> Result<Runtime, NetError> {
        Builder::new_current_thread().enable_io().enable_time().build().map_err(NetError::System)
    }

    /// Gives what moves the frames of a connection a thread of its own.
    pub(crate) fn background(
        runtime: Runtime,
        pump: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), NetError> {
        let mut pumps = JoinSet::new();
        pumps.spawn_on(pump, runtime.handle());
        drive(runtime, pumps)
    }

    /// Drives pumps that run already on a thread, which ends with the last of them.
    pub(crate) fn drive(runtime: Runtime, mut pumps: JoinSet<()>) -> Result<(), NetError> {
        let run = move || {
            runtime.block_on(async { while pumps.join_next().await.is_some() {} });
            runtime.shutdown_background();
        };
        veilset_host::thread::spawn("veilset-net", run).map_err(NetError::System)
    }
}

#[cfg(target_family = "wasm")]
mod page {
    use veilset_host::{task, thread};

    use super::NetError;

    /// A page needs none: its sockets belong to no thread.
    pub(crate) struct Runtime;

    pub(crate) fn runtime() -> Result<Runtime, NetError> {
        Ok(Runtime)
    }

    impl Runtime {
        pub(crate) fn block_on<F: Future>(&self, future: F) -> F::Output {
            task::block_on(future)
        }

        pub(crate) fn shutdown_background(self) {}
    }

    /// Gives what moves the frames of a connection a thread of its own.
    pub(crate) fn background(
        _: Runtime,
        pump: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), NetError> {
        thread::spawn("veilset-net", || task::block_on(pump)).map_err(NetError::System)
    }
}

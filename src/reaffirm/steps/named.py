"""What a runbook's words mean on these machines: an image's reference, a model's path."""

from reaffirm.images.names import image_reference, model_name
from reaffirm.model.image import ContainerImage
from reaffirm.model.node import ModelHere
from reaffirm.nodes.cluster import Cluster
from reaffirm.store.images import read_images
from reaffirm.store.project import find_project, image_folders


def image_page(name: str) -> ContainerImage | None:
    """Return the page of an image under ``docs/container-images``, if it has one.

    Raises:
        DocumentError: a page there is wrong.
    """
    for folder in image_folders(find_project()):
        if (page := read_images(folder).get(name)) is not None:
            return page
    return None


def reference_of(cluster: Cluster, image: str) -> str:
    """Return the reference of an image on these machines.

    The machine file decides, then the image's page, then the word itself.

    Raises:
        UsageError: it is not a plain reference.
    """
    image_reference(image)
    if image in cluster.machines.images:
        return image_reference(cluster.machines.images[image])
    page = image_page(image)
    return image_reference(page.reference) if page is not None and page.reference else image


def model_on(cluster: Cluster, model: str) -> ModelHere:
    """Return what stands for a model on these machines; raises UsageError for a name that is not plain."""
    return cluster.machines.models.get(model_name(model), ModelHere())
